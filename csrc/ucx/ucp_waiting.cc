// Operations that wait, make progress or order calls, and the question for a protocol.
#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {
namespace {

struct OfWorker final : UcpOperation {};

struct OfMemory final : UcpOperation {
  const volatile uint8_t *byte;
  uint8_t next = 1;
};

struct OfEndpoint final : UcpOperation {
  ucp_ep_h endpoint;
};

int32_t make_progress(Operation *self, Context *) {
  ucp_worker_progress(static_cast<OfWorker *>(self)->worker->handle);
  return 0;
}

int32_t fence_worker(Operation *self, Context *) {
  return ucp_worker_fence(static_cast<OfWorker *>(self)->worker->handle);
}

template <class Wait>
int32_t complete_all(Operation *self, Context *context) {
  auto *operation = static_cast<OfWorker *>(self);
  return wait_for_all<Wait>(operation->worker, operation->counter, context);
}

template <class Wait>
int32_t wait_for_byte(Operation *self, Context *context) {
  auto *operation = static_cast<OfMemory *>(self);
  const int32_t code = progress_until<Wait>(
      operation->worker, context, [operation] { return *operation->byte == operation->next; }, kMemorySleep);
  if (__builtin_expect(code != 0, 0)) return code;
  ++operation->next;
  return 0;
}

int32_t flush_endpoint(Operation *self, Context *context) {
  auto *operation = static_cast<OfEndpoint *>(self);
  const ucs_status_ptr_t request = ucp_ep_flush_nbx(operation->endpoint, &operation->param);
  if (request == nullptr) return UCS_OK;
  if (UCS_PTR_IS_ERR(request)) return UCS_PTR_STATUS(request);
  ++operation->counter->count;
  return wait_for_all<Spin>(operation->worker, operation->counter, context);
}

template <int32_t (*kExecute)(Operation *self, Context *context)>
Napi::Value finish_plain(Arguments &arguments, UcpOperation *operation) {
  operation->execute = kExecute;
  return arguments.finish(operation, fabricbench::detail::call_inlined<kExecute>);
}

// (worker)
template <int32_t (*kExecute)(Operation *self, Context *context)>
Napi::Value of_worker(const Napi::CallbackInfo &info, const char *name) {
  Arguments arguments(info);
  const auto worker = arguments.box<Worker>();
  auto *operation = make_operation<OfWorker>(name);
  operation->worker = worker.get();
  return finish_plain<kExecute>(arguments, operation);
}

Napi::Value progress(const Napi::CallbackInfo &info) { return of_worker<make_progress>(info, "ucp_worker_progress"); }
Napi::Value fence(const Napi::CallbackInfo &info) { return of_worker<fence_worker>(info, "ucp_worker_fence"); }

// (worker, inFlight, sleep)
Napi::Value complete(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto worker = arguments.box<Worker>();
  const auto counter = arguments.box<Counter>();
  if (counter->worker != worker) {
    throw Napi::TypeError::New(info.Env(), "complete: the counter belongs to another worker");
  }
  return finish_complete(arguments, worker, counter.get(), arguments.flag());
}

// (worker, buffer, offset, sleep)
Napi::Value wait_byte(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto worker = arguments.box<Worker>();
  const Bytes bytes = arguments.bytes("the buffer");
  const size_t offset = arguments.size();
  const bool sleep = arguments.flag();
  if (sleep) require_sleep(info.Env(), *worker);
  auto *operation = make_operation<OfMemory>("waitByte");
  operation->worker = worker.get();
  operation->byte = static_cast<const uint8_t *>(bytes.data) + offset;
  return sleep ? finish_plain<wait_for_byte<Sleep>>(arguments, operation)
               : finish_plain<wait_for_byte<Spin>>(arguments, operation);
}

// (endpoint)
Napi::Value flush(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto endpoint = arguments.box<Endpoint>();
  auto *operation = make_operation<OfEndpoint>("ucp_ep_flush_nbx");
  operation->endpoint = endpoint->handle;
  use_own_counter(operation, endpoint->worker, Completion::kSend);
  return finish_plain<flush_endpoint>(arguments, operation);
}

// ucpProtocolOf(operation): what is known, or null; then it is asked at the next execution
Napi::Value protocol_of(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  Operation *operation = unwrap_operation(env, info[0], "the operation");
  auto *ucp = find_operation(operation);
  if (ucp == nullptr || ucp->asking == nullptr) {
    throw Napi::TypeError::New(
        env, std::string(operation->name) + " posts no single UCP call whose protocol could be asked");
  }
  if (ucp->protocol.empty()) {
    ucp->execute = ucp->asking;
    return env.Null();
  }
  return Napi::String::New(env, ucp->protocol);
}

}  // namespace

Napi::Value finish_complete(Arguments &arguments, const std::shared_ptr<Worker> &worker, Counter *counter, bool sleep) {
  if (sleep) require_sleep(arguments.env(), *worker);
  auto *operation = make_operation<OfWorker>("complete");
  operation->worker = worker.get();
  operation->counter = counter;
  return sleep ? finish_plain<complete_all<Sleep>>(arguments, operation)
               : finish_plain<complete_all<Spin>>(arguments, operation);
}

void export_waiting(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpProgress", Napi::Function::New(env, progress));
  exports.Set("ucpFence", Napi::Function::New(env, fence));
  exports.Set("ucpComplete", Napi::Function::New(env, complete));
  exports.Set("ucpWaitByte", Napi::Function::New(env, wait_byte));
  exports.Set("ucpFlush", Napi::Function::New(env, flush));
  exports.Set("ucpProtocolOf", Napi::Function::New(env, protocol_of));
}

}  // namespace fabricbench::ucx::ucp
