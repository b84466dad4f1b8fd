// Tagged messages: ucp_tag_send_nbx, ucp_tag_send_sync_nbx, ucp_tag_recv_nbx.
#include "ucx/ucp_tag.hpp"

namespace fabricbench::ucx::ucp {
namespace {

struct TagSendSync : PlainCall {
  static constexpr Completion kCompletion = Completion::kSend;
  ucp_ep_h endpoint;
  const void *buffer;
  size_t count;
  ucp_tag_t tag;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_tag_send_sync_nbx(endpoint, buffer, count, tag, param);
  }
};

// Looks for the message before it posts the receive.
struct TagProbeReceive : TagReceive {
  template <class Wait>
  int32_t prepare(Worker *waiting, Context *context) {
    return progress_until<Wait>(waiting, context, [this] {
      ucp_tag_recv_info_t info;
      return ucp_tag_probe_nb(worker, tag, mask, 0, &info) != nullptr;
    });
  }
};

// (endpoint, data..., inFlight, blocking, tag)
template <class Call>
Napi::Value send(Arguments &arguments, const char *name) {
  std::unique_ptr<Posting<Call>> operation(make_operation<Posting<Call>>(name));
  const auto endpoint = arguments.box<Endpoint>();
  const Data data = read_data(arguments, operation.get());
  const auto counter = arguments.box<Counter>();
  Modes modes;
  modes.blocking = arguments.flag();
  operation->call.endpoint = endpoint->handle;
  operation->call.buffer = data.buffer;
  operation->call.count = data.count;
  operation->call.tag = arguments.uint64();
  return finish_posting(arguments, std::move(operation), endpoint->worker, counter.get(), modes);
}

Napi::Value tag_send(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  return send<TagSend>(arguments, "ucp_tag_send_nbx");
}

Napi::Value tag_send_sync(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  return send<TagSendSync>(arguments, "ucp_tag_send_sync_nbx");
}

// (worker, data..., inFlight, blocking, sleep, tag, mask)
template <class Call>
Napi::Value receive(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  std::unique_ptr<Posting<Call>> operation(make_operation<Posting<Call>>("ucp_tag_recv_nbx"));
  const auto worker = arguments.box<Worker>();
  const Data data = read_data(arguments, operation.get());
  const auto counter = arguments.box<Counter>();
  Modes modes;
  modes.blocking = arguments.flag();
  modes.sleep = arguments.flag();
  operation->call.worker = worker->handle;
  operation->call.buffer = data.buffer;
  operation->call.count = data.count;
  operation->call.tag = arguments.uint64();
  operation->call.mask = arguments.uint64();
  return finish_posting(arguments, std::move(operation), worker, counter.get(), modes);
}

}  // namespace

void export_tag(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpTagSend", Napi::Function::New(env, tag_send));
  exports.Set("ucpTagSendSync", Napi::Function::New(env, tag_send_sync));
  exports.Set("ucpTagReceive", Napi::Function::New(env, receive<TagReceive>));
  exports.Set("ucpTagProbeReceive", Napi::Function::New(env, receive<TagProbeReceive>));
}

}  // namespace fabricbench::ucx::ucp
