// Connections by librdmacm as JavaScript sees them; src/verbs/cm.ts checks the arguments and has the class of errors.
#include "verbs/cm.hpp"

#include <cerrno>
#include <unordered_map>

#include "verbs/cm_stream.hpp"

namespace fabricbench::verbs {
namespace {

// Throws an Error with the property `reason` for a CmFailure.
template <typename Action>
auto attempt(Napi::Env env, Action action) {
  try {
    return action();
  } catch (const CmFailure &failure) {
    Napi::Error error = Napi::Error::New(env, failure.text);
    error.Set("reason", failure.reason);
    throw error;
  }
}

struct Fields {
  Napi::Object object;
  Napi::Value get(const char *name) const { return object.Get(name); }
  bool has(const char *name) const { return !get(name).IsUndefined(); }
  std::string text(const char *name) const { return has(name) ? get(name).As<Napi::String>().Utf8Value() : ""; }
  int number(const char *name, int otherwise) const {
    return has(name) ? get(name).As<Napi::Number>().Int32Value() : otherwise;
  }
  uint8_t byte(const char *name, int otherwise) const { return static_cast<uint8_t>(number(name, otherwise)); }
};

CmAddress address_of(const Napi::Value &value) {
  const Fields fields{value.As<Napi::Object>()};
  CmAddress address;
  address.host = fields.text("host");
  address.port = static_cast<uint16_t>(fields.number("port", 0));
  address.ipv6 = fields.get("ipv6").ToBoolean();
  address.source = fields.text("source");
  address.tos = fields.number("tos", -1);
  address.ack_timeout = fields.number("qpTimeout", -1);
  address.ud = fields.get("ud").ToBoolean();
  return address;
}

CmParameters parameters_of(const Napi::Value &value) {
  const Fields fields{value.As<Napi::Object>()};
  CmParameters parameters;
  parameters.responder_resources = fields.byte("responderResources", 0);
  parameters.initiator_depth = fields.byte("initiatorDepth", 0);
  parameters.retry_count = fields.byte("retryCount", 7);
  parameters.rnr_retry = fields.byte("rnrRetry", 7);
  if (fields.has("privateData")) {
    const auto bytes = fields.get("privateData").As<Napi::Uint8Array>();
    parameters.private_data.assign(reinterpret_cast<const char *>(bytes.Data()), bytes.ByteLength());
  }
  return parameters;
}

double seconds_of(const Napi::Value &value) { return value.As<Napi::Number>().DoubleValue(); }

// librdmacm's context of a device: the same for all its connections.
std::shared_ptr<Context> borrow(ibv_context *raw) {
  static auto *known = new std::unordered_map<ibv_context *, std::shared_ptr<Context>>;
  std::shared_ptr<Context> &context = (*known)[raw];
  if (context != nullptr && !context->closed) return context;
  context = std::make_shared<Context>();
  context->context = raw;
  context->device = ibv_get_device_name(raw->device);
  context->borrowed = true;
  return context;
}

// cmResolve(address, seconds)
Napi::Value resolve(const Napi::CallbackInfo &info) {
  return attempt(info.Env(),
                 [&] { return box(info.Env(), std::make_shared<Cm>(address_of(info[0]), seconds_of(info[1]))); });
}

// cmListen(address)
Napi::Value listen(const Napi::CallbackInfo &info) {
  return attempt(info.Env(), [&] { return box(info.Env(), std::make_shared<CmListener>(address_of(info[0]))); });
}

Napi::Value listener_port(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), unbox<CmListener>(info[0])->port());
}

// cmAcceptRequest(listener, seconds): a connection or null
Napi::Value accept_request(const Napi::CallbackInfo &info) {
  return attempt(info.Env(), [&]() -> Napi::Value {
    const auto cm = unbox<CmListener>(info[0])->accept(seconds_of(info[1]));
    return cm == nullptr ? info.Env().Null() : box(info.Env(), cm);
  });
}

void close_listener(const Napi::CallbackInfo &info) { unbox<CmListener>(info[0])->close(); }

// cmContext(cm)
Napi::Value context(const Napi::CallbackInfo &info) { return box(info.Env(), borrow(unbox<Cm>(info[0])->id()->verbs)); }

// cmFacts(cm): {port, peer}
Napi::Value facts(const Napi::CallbackInfo &info) {
  const auto cm = unbox<Cm>(info[0]);
  auto result = Napi::Object::New(info.Env());
  result.Set("port", cm->id()->port_num);
  result.Set("peer", cm->peer());
  return result;
}

// cmCreateQp(cm, pd, options)
Napi::Value create_qp(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto cm = unbox<Cm>(info[0]);
  const auto pd = unbox<Pd>(info[1]);
  if (pd->context->context != cm->id()->verbs) {
    throw Napi::RangeError::New(env,
                                "the protection domain is of another context than the connection: make it of the "
                                "connection's own");
  }
  const auto create = [cm](ibv_qp_init_attr_ex *attributes) -> ibv_qp * {
    return rdma_create_qp_ex(cm->id(), attributes) == 0 ? cm->id()->qp : nullptr;
  };
  const auto destroy = [cm](ibv_qp *) {
    rdma_destroy_qp(cm->id());
    cm->has_qp = false;
    return 0;
  };
  const auto qp = make_qp(env, pd, info[2].As<Napi::Object>(), create, "rdma_create_qp", destroy);
  cm->has_qp = true;
  return box(env, qp);
}

// cmConnect(cm, parameters, seconds)
void connect(const Napi::CallbackInfo &info) {
  attempt(info.Env(), [&] { unbox<Cm>(info[0])->connect(parameters_of(info[1]), seconds_of(info[2])); });
}

// cmAccept(cm, parameters, seconds)
void accept(const Napi::CallbackInfo &info) {
  attempt(info.Env(), [&] { unbox<Cm>(info[0])->accept(parameters_of(info[1]), seconds_of(info[2])); });
}

// cmReject(cm, why)
void reject(const Napi::CallbackInfo &info) { unbox<Cm>(info[0])->reject(info[1].As<Napi::String>().Utf8Value()); }

Napi::Value private_data(const Napi::CallbackInfo &info) {
  const std::string &bytes = unbox<Cm>(info[0])->private_data();
  return Napi::Buffer<char>::Copy(info.Env(), bytes.data(), bytes.size());
}

// cmUdPeer(cm, pd): {qpn, qkey, ah}
Napi::Value ud_peer(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto cm = unbox<Cm>(info[0]);
  auto ah = std::make_shared<Ah>();
  ah->pd = unbox<Pd>(info[1]);
  ibv_ah_attr path = cm->path();
  ah->ah = ibv_create_ah(ah->pd->pd, &path);
  if (ah->ah == nullptr) throw_errno(env, "ibv_create_ah", errno);
  ++ah->pd->users;
  opened(*ah, ah->pd->context);
  auto result = Napi::Object::New(env);
  result.Set("qpn", cm->remote_qpn());
  result.Set("qkey", cm->remote_qkey());
  result.Set("ah", box(env, ah));
  return result;
}

// cmGone(cm): a text or null
Napi::Value gone(const Napi::CallbackInfo &info) {
  const std::string &why = unbox<Cm>(info[0])->gone();
  return why.empty() ? info.Env().Null() : Napi::String::New(info.Env(), why);
}

void disconnect(const Napi::CallbackInfo &info) { unbox<Cm>(info[0])->disconnect(); }

// cmDestroy(cm)
void destroy(const Napi::CallbackInfo &info) {
  const auto cm = unbox<Cm>(info[0]);
  if (cm->has_qp) throw Napi::Error::New(info.Env(), "the connection can't be destroyed: destroy its queue pair first");
  cm->disconnect();
  cm->close();
}

Napi::Value socket_of(Napi::Env env, const CmSocket &socket) {
  auto result = Napi::Object::New(env);
  result.Set("fd", socket.fd);
  result.Set("peer", socket.peer);
  return result;
}

// cmConnectStream(cm, seconds): {fd, peer}
Napi::Value connect_a_stream(const Napi::CallbackInfo &info) {
  return attempt(info.Env(),
                 [&] { return socket_of(info.Env(), connect_stream(unbox<Cm>(info[0]), seconds_of(info[1]))); });
}

// cmAcceptStream(cm, seconds): {fd, peer}
Napi::Value accept_a_stream(const Napi::CallbackInfo &info) {
  return attempt(info.Env(),
                 [&] { return socket_of(info.Env(), accept_stream(unbox<Cm>(info[0]), seconds_of(info[1]))); });
}

}  // namespace

void register_cm(Napi::Env env, Napi::Object exports) {
  const auto give = [&](const char *name, auto function) { exports.Set(name, Napi::Function::New(env, function)); };
  give("cmResolve", resolve);
  give("cmListen", listen);
  give("cmListenerPort", listener_port);
  give("cmAcceptRequest", accept_request);
  give("cmCloseListener", close_listener);
  give("cmContext", context);
  give("cmFacts", facts);
  give("cmCreateQp", create_qp);
  give("cmConnect", connect);
  give("cmAccept", accept);
  give("cmReject", reject);
  give("cmPrivateData", private_data);
  give("cmUdPeer", ud_peer);
  give("cmGone", gone);
  give("cmDisconnect", disconnect);
  give("cmDestroy", destroy);
  give("cmConnectStream", connect_a_stream);
  give("cmAcceptStream", accept_a_stream);
  napi_add_env_cleanup_hook(
      env, [](void *) { end_streams(); }, nullptr);
}

}  // namespace fabricbench::verbs
