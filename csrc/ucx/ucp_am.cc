// Active messages: ucp_am_send_nbx, and handlers that count what arrives.
#include "ucx/ucp_am.hpp"

#include <algorithm>
#include <cstring>

namespace fabricbench::ucx::ucp {
namespace {

struct Messages final : Handler {
  static constexpr napi_type_tag kTag = {0x6662756370000007, 0xd40b6e8c295fa713};
  Messages() : Handler("the message handler") {}
  uint64_t arrived = 0;
  uint64_t taken = 0;
  char *into = nullptr;
  size_t capacity = 0;
  // Where data go that nobody wants: rendezvous must put them somewhere. Smaller ones stay, for what is on its way
  // there.
  std::vector<std::vector<char>> scratch;
  Holds holds;
};

void received(void *request, ucs_status_t status, size_t, void *data) {
  auto *messages = static_cast<Messages *>(data);
  --messages->receiving;
  ++messages->arrived;
  if (status != UCS_OK) messages->failure = status;
  ucp_request_free(request);
}

// A message that doesn't fit counts too: whoever waits for it is told.
ucs_status_t refuse(Messages *messages) {
  messages->failure = UCS_ERR_MESSAGE_TRUNCATED;
  ++messages->arrived;
  return UCS_OK;
}

char *scratch_of(Messages *messages, size_t length) {
  auto &all = messages->scratch;
  if (all.empty() || all.back().size() < length) all.emplace_back(std::max<size_t>(length, 1));
  return all.back().data();
}

ucs_status_t fetch(Messages *messages, void *data, size_t length) {
  char *to = messages->into != nullptr ? messages->into : scratch_of(messages, length);
  const ucs_status_ptr_t request = ucp_am_recv_data_nbx(messages->worker->handle, data, to, length, &messages->param);
  if (request == nullptr) {
    ++messages->arrived;
  } else if (UCS_PTR_IS_ERR(request)) {
    messages->failure = UCS_PTR_STATUS(request);
    ++messages->arrived;
    return UCS_OK;
  } else {
    ++messages->receiving;
  }
  return UCS_INPROGRESS;
}

ucs_status_t count_message(void *self, const void *, size_t, void *data, size_t length,
                           const ucp_am_recv_param_t *param) {
  auto *messages = static_cast<Messages *>(self);
  if (__builtin_expect(is_rendezvous(param), 0)) return fetch(messages, data, length);
  ++messages->arrived;
  return UCS_OK;
}

ucs_status_t store_message(void *self, const void *, size_t, void *data, size_t length,
                           const ucp_am_recv_param_t *param) {
  auto *messages = static_cast<Messages *>(self);
  if (__builtin_expect(length > messages->capacity, 0)) return refuse(messages);
  if (__builtin_expect(is_rendezvous(param), 0)) return fetch(messages, data, length);
  memcpy(messages->into, data, length);
  ++messages->arrived;
  return UCS_OK;
}

// ucpMessages(worker, id, into or undefined)
Napi::Value set_messages(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  auto messages = std::make_shared<Messages>();
  messages->worker = unwrap<Worker>(info[0]);
  messages->id = info[1].As<Napi::Number>().Uint32Value();
  const bool stores = !info[2].IsUndefined();
  if (stores) {
    const Bytes bytes = bytes_of(env, info[2], "into");
    messages->into = static_cast<char *>(bytes.data);
    messages->capacity = bytes.byte_length;
    messages->holds.add(env, info[2]);
  }
  messages->param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  messages->param.cb.recv_am = received;
  messages->param.user_data = messages.get();
  set_handler(env, messages, stores ? store_message : count_message, messages.get());
  return wrap(env, messages);
}

Napi::Value arrived(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(unwrap<Messages>(info[0])->arrived));
}

Napi::Value close(const Napi::CallbackInfo &info) {
  const auto messages = unwrap<Messages>(info[0]);
  take_handler(info.Env(), *messages, "close");
  messages->holds.clear();
  return info.Env().Undefined();
}

// (endpoint, data..., inFlight, blocking, id, header or undefined, headerLength)
Napi::Value send(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  std::unique_ptr<Posting<AmSend>> operation(make_operation<Posting<AmSend>>("ucp_am_send_nbx"));
  const auto endpoint = arguments.box<Endpoint>();
  const Data data = read_data(arguments, operation.get());
  const auto counter = arguments.box<Counter>();
  Modes modes;
  modes.blocking = arguments.flag();
  operation->call.endpoint = endpoint->handle;
  operation->call.buffer = data.buffer;
  operation->call.count = data.count;
  operation->call.id = static_cast<unsigned>(arguments.size());
  operation->call.header = nullptr;
  if (arguments.has_next()) {
    operation->call.header = arguments.bytes("the header").data;
  } else {
    arguments.next();
  }
  operation->call.header_length = arguments.size();
  return finish_posting(arguments, std::move(operation), endpoint->worker, counter.get(), modes);
}

struct AmReceive final : UcpOperation {
  Messages *messages;
  uint64_t behind = 0;
};

template <class Wait>
int32_t take_message(Operation *self, Context *context) {
  auto *operation = static_cast<AmReceive *>(self);
  Messages *messages = operation->messages;
  const int32_t code =
      progress_until<Wait>(operation->worker, context, [messages] { return messages->arrived > messages->taken; });
  if (__builtin_expect(code != 0, 0)) return code;
  ++messages->taken;
  if (__builtin_expect(messages->failure != UCS_OK, 0)) return std::exchange(messages->failure, UCS_OK);
  return 0;
}

// Counts so many messages as waited for, and waits until all but `behind` of those have come.
template <uint64_t kTake>
int32_t take_behind(Operation *self, Context *context) {
  auto *operation = static_cast<AmReceive *>(self);
  Messages *messages = operation->messages;
  messages->taken += kTake;
  const uint64_t behind = operation->behind;
  const int32_t code = progress_until<Spin>(
      operation->worker, context, [messages, behind] { return messages->arrived + behind >= messages->taken; });
  if (__builtin_expect(code != 0, 0)) return code;
  return std::exchange(messages->failure, UCS_OK);
}

template <class Wait>
Napi::Value finish_receive(Arguments &arguments, AmReceive *operation) {
  operation->execute = take_message<Wait>;
  return arguments.finish(operation, fabricbench::detail::call_inlined<take_message<Wait>>);
}

AmReceive *read_receive(Arguments &arguments, Napi::Env env) {
  const auto worker = arguments.box<Worker>();
  const auto messages = arguments.box<Messages>();
  if (messages->worker != worker) {
    throw Napi::TypeError::New(env, "amReceive: the message handler belongs to another worker");
  }
  auto *operation = make_operation<AmReceive>("ucp_am_recv");
  operation->messages = messages.get();
  operation->worker = worker.get();
  return operation;
}

template <uint64_t kTake>
Napi::Value finish_behind(Arguments &arguments, AmReceive *operation) {
  operation->execute = take_behind<kTake>;
  return arguments.finish(operation, fabricbench::detail::call_inlined<take_behind<kTake>>);
}

// (worker, messages, behind)
Napi::Value receive_behind(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  AmReceive *operation = read_receive(arguments, info.Env());
  operation->behind = arguments.size();
  return finish_behind<1>(arguments, operation);
}

// (worker, messages)
Napi::Value receive_all(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  return finish_behind<0>(arguments, read_receive(arguments, info.Env()));
}

// (worker, messages, sleep)
Napi::Value receive(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  AmReceive *operation = read_receive(arguments, info.Env());
  const bool sleep = arguments.flag();
  if (sleep) require_sleep(info.Env(), *operation->worker);
  return sleep ? finish_receive<Sleep>(arguments, operation) : finish_receive<Spin>(arguments, operation);
}

ucs_status_t tell_ucx(const Handler &handler, ucp_am_recv_callback_t callback, void *self) {
  ucp_am_handler_param_t param = {};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
                     UCP_AM_HANDLER_PARAM_FIELD_ARG;
  param.id = handler.id;
  param.flags = UCP_AM_FLAG_WHOLE_MSG;
  param.cb = callback;
  param.arg = self;
  return ucp_worker_set_am_recv_handler(handler.worker->handle, &param);
}

}  // namespace

void set_handler(Napi::Env env, const std::shared_ptr<Handler> &handler, ucp_am_recv_callback_t callback, void *self) {
  auto &handlers = handler->worker->handlers;
  for (const auto &each : handlers) {
    if (each->id != handler->id) continue;
    throw Napi::Error::New(env, "the worker has a handler of active messages with id " + std::to_string(handler->id) +
                                    " already: close that first, or take another id");
  }
  check(env, "ucp", "ucp_worker_set_am_recv_handler", tell_ucx(*handler, callback, self));
  handlers.push_back(handler);
}

void take_handler(Napi::Env env, Handler &handler, const char *call) {
  require_unused(env, handler, call, "");
  if (handler.receiving > 0) {
    throw Napi::Error::New(env,
                           std::string(call) + ": messages are being received; make progress until they are there");
  }
  check(env, "ucp", "ucp_worker_set_am_recv_handler", tell_ucx(handler, nullptr, nullptr));
  handler.gone = true;
  auto &handlers = handler.worker->handlers;
  const auto is_it = [&handler](const auto &each) { return each.get() == &handler; };
  handlers.erase(std::remove_if(handlers.begin(), handlers.end(), is_it), handlers.end());
}

void export_active_messages(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpMessages", Napi::Function::New(env, set_messages));
  exports.Set("ucpMessagesArrived", Napi::Function::New(env, arrived));
  exports.Set("ucpMessagesClose", Napi::Function::New(env, close));
  exports.Set("ucpAmSend", Napi::Function::New(env, send));
  exports.Set("ucpAmReceive", Napi::Function::New(env, receive));
  exports.Set("ucpAmReceiveBehind", Napi::Function::New(env, receive_behind));
  exports.Set("ucpAmArrived", Napi::Function::New(env, receive_all));
}

}  // namespace fabricbench::ucx::ucp
