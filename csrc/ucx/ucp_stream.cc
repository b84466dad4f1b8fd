// Streams: ucp_stream_send_nbx, ucp_stream_recv_nbx, ucp_stream_recv_data_nb.
#include "ucx/ucp_stream.hpp"

namespace fabricbench::ucx::ucp {
namespace {

// (endpoint, data..., inFlight, blocking)
Napi::Value send(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  std::unique_ptr<Posting<StreamSend>> operation(make_operation<Posting<StreamSend>>("ucp_stream_send_nbx"));
  const auto endpoint = arguments.box<Endpoint>();
  const Data data = read_data(arguments, operation.get());
  const auto counter = arguments.box<Counter>();
  Modes modes;
  modes.blocking = arguments.flag();
  operation->call.endpoint = endpoint->handle;
  operation->call.buffer = data.buffer;
  operation->call.count = data.count;
  return finish_posting(arguments, std::move(operation), endpoint->worker, counter.get(), modes);
}

// (endpoint, data..., inFlight, blocking, sleep)
Napi::Value receive(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  std::unique_ptr<Posting<StreamReceive>> operation(make_operation<Posting<StreamReceive>>("ucp_stream_recv_nbx"));
  const auto endpoint = arguments.box<Endpoint>();
  const Data data = read_data(arguments, operation.get());
  const auto counter = arguments.box<Counter>();
  Modes modes;
  modes.blocking = arguments.flag();
  modes.sleep = arguments.flag();
  operation->call.endpoint = endpoint->handle;
  operation->call.buffer = data.buffer;
  operation->call.count = data.count;
  StreamReceive::want_all(operation->param);
  return finish_posting(arguments, std::move(operation), endpoint->worker, counter.get(), modes);
}

struct StreamData final : UcpOperation {
  Endpoint *endpoint;
  size_t length;
};

// Takes what has arrived. Throws nothing away: bytes beyond those wanted count for the next execution.
template <class Wait>
int32_t take_data(Operation *self, Context *context) {
  auto *operation = static_cast<StreamData *>(self);
  Endpoint *endpoint = operation->endpoint;
  ucs_status_t status = UCS_OK;
  const int32_t code = progress_until<Wait>(operation->worker, context, [&] {
    while (endpoint->surplus < operation->length) {
      size_t length = 0;
      const ucs_status_ptr_t data = ucp_stream_recv_data_nb(endpoint->handle, &length);
      if (data == nullptr) return false;
      if (UCS_PTR_IS_ERR(data)) {
        status = UCS_PTR_STATUS(data);
        return true;
      }
      endpoint->surplus += length;
      ucp_stream_data_release(endpoint->handle, data);
    }
    endpoint->surplus -= operation->length;
    return true;
  });
  return code != 0 ? code : status;
}

template <class Wait>
Napi::Value finish_data(Arguments &arguments, StreamData *operation) {
  operation->execute = take_data<Wait>;
  return arguments.finish(operation, fabricbench::detail::call_inlined<take_data<Wait>>);
}

// (endpoint, length, sleep)
Napi::Value receive_data(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto endpoint = arguments.box<Endpoint>();
  const size_t length = arguments.size();
  const bool sleep = arguments.flag();
  if (sleep) require_sleep(info.Env(), *endpoint->worker);
  auto *operation = make_operation<StreamData>("ucp_stream_recv_data_nb");
  operation->endpoint = endpoint.get();
  operation->worker = endpoint->worker.get();
  operation->length = length;
  return sleep ? finish_data<Sleep>(arguments, operation) : finish_data<Spin>(arguments, operation);
}

}  // namespace

void export_stream(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpStreamSend", Napi::Function::New(env, send));
  exports.Set("ucpStreamReceive", Napi::Function::New(env, receive));
  exports.Set("ucpStreamReceiveData", Napi::Function::New(env, receive_data));
}

}  // namespace fabricbench::ucx::ucp
