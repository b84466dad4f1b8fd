// Workers and their counters.
#include <algorithm>
#include <utility>

#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {
namespace {

// Those that live.
std::vector<ucp_worker_h> &workers() {
  static auto *all = new std::vector<ucp_worker_h>();
  return *all;
}

void find_event_fd(Napi::Env env, Worker &worker) {
  if ((worker.context->features & UCP_FEATURE_WAKEUP) == 0) return;
  const ucs_status_t status = ucp_worker_get_efd(worker.handle, &worker.event_fd);
  if (status != UCS_OK) ucp_worker_destroy(worker.handle);
  check(env, "ucp", "ucp_worker_get_efd", status);
}

// ucpWorkerCreate(context, threadMode)
Napi::Value create(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  auto worker = std::make_shared<Worker>();
  worker->context = unwrap<UcpContext>(info[0]);
  ucp_worker_params_t params = {};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
  params.thread_mode = static_cast<ucs_thread_mode_t>(info[1].As<Napi::Number>().Uint32Value());
  params.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;  // receives may wait when it goes
  check(env, "ucp", "ucp_worker_create", ucp_worker_create(worker->context->handle, &params, &worker->handle));
  find_event_fd(env, *worker);
  ucp_worker_attr_t attributes = {};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_THREAD_MODE;
  if (ucp_worker_query(worker->handle, &attributes) == UCS_OK) worker->thread_mode = attributes.thread_mode;
  ++worker->context->children;
  workers().push_back(worker->handle);
  keep(worker);
  return wrap(env, worker);
}

// What it had in flight is gone with it, so that nothing has to be kept for that any more.
Napi::Value destroy(const Napi::CallbackInfo &info) {
  const auto worker = unwrap<Worker>(info[0]);
  require_unused(info.Env(), *worker, "ucp_worker_destroy", "endpoints of the worker live; close them first");
  if (!worker->handlers.empty()) {
    throw Napi::Error::New(info.Env(), "ucp_worker_destroy: message handlers of the worker are set; close them first");
  }
  for (const auto &counter : worker->counters) {
    if (uses_in_operations(counter.get()) == 0) continue;
    throw Napi::Error::New(info.Env(),
                           "ucp_worker_destroy: operations hold a counter of the worker; release them first");
  }
  auto &all = workers();
  all.erase(std::find(all.begin(), all.end(), worker->handle));
  ucp_worker_destroy(worker->handle);
  for (const auto &counter : std::exchange(worker->counters, {})) {
    counter->count = 0;
    counter->gone = true;
    sweep(*counter);
  }
  --worker->context->children;
  forget(*worker);
  return info.Env().Undefined();
}

Napi::Value thread_mode(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), unwrap<Worker>(info[0])->thread_mode);
}

Napi::Value address(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto worker = unwrap<Worker>(info[0]);
  ucp_address_t *address = nullptr;
  size_t length = 0;
  check(env, "ucp", "ucp_worker_get_address", ucp_worker_get_address(worker->handle, &address, &length));
  const Napi::Value bytes = make_bytes(env, address, length);
  ucp_worker_release_address(worker->handle, address);
  return bytes;
}

Napi::Value progress(const Napi::CallbackInfo &info) {
  const auto worker = unwrap<Worker>(info[0]);
  const unsigned moved = ucp_worker_progress(worker->handle);
  sweep(*worker);
  return Napi::Number::New(info.Env(), moved);
}

Napi::Value print(const Napi::CallbackInfo &info) {
  const auto worker = unwrap<Worker>(info[0]);
  return Napi::String::New(info.Env(), printed([&](FILE *stream) { ucp_worker_print_info(worker->handle, stream); }));
}

// ucpInFlight(worker, limit)
Napi::Value in_flight(const Napi::CallbackInfo &info) {
  auto counter = std::make_shared<Counter>();
  counter->worker = unwrap<Worker>(info[0]);
  counter->limit = counter->wanted = info[1].As<Napi::Number>().Uint32Value();
  sweep(*counter->worker);
  counter->worker->counters.push_back(counter);
  return wrap(info.Env(), counter);
}

Napi::Value count(const Napi::CallbackInfo &info) {
  const auto counter = unwrap<Counter>(info[0]);
  sweep(*counter);
  return Napi::Number::New(info.Env(), counter->count);
}

}  // namespace

void progress_all() {
  for (ucp_worker_h worker : workers()) ucp_worker_progress(worker);
}

void export_worker(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpWorkerCreate", Napi::Function::New(env, create));
  exports.Set("ucpWorkerDestroy", Napi::Function::New(env, destroy));
  exports.Set("ucpWorkerThreadMode", Napi::Function::New(env, thread_mode));
  exports.Set("ucpWorkerAddress", Napi::Function::New(env, address));
  exports.Set("ucpWorkerProgress", Napi::Function::New(env, progress));
  exports.Set("ucpWorkerInfo", Napi::Function::New(env, print));
  exports.Set("ucpInFlight", Napi::Function::New(env, in_flight));
  exports.Set("ucpInFlightCount", Napi::Function::New(env, count));
}

}  // namespace fabricbench::ucx::ucp
