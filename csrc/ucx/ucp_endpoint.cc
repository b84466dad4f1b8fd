// Endpoints and the remote keys that are unpacked for them.
#include <time.h>

#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {
namespace {

void on_failure(void *self, ucp_ep_h, ucs_status_t status) {
  auto *endpoint = static_cast<Endpoint *>(self);
  endpoint->failure = status;
  endpoint->worker->failure = status;
}

// ucpEpCreate(worker, address, handlesErrors)
Napi::Value create(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  auto endpoint = std::make_shared<Endpoint>();
  endpoint->worker = unwrap<Worker>(info[0]);
  const Bytes address = bytes_of(env, info[1], "the address");
  ucp_ep_params_t params = {};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = static_cast<const ucp_address_t *>(address.data);
  if (info[2].ToBoolean()) {
    params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    params.err_handler.cb = on_failure;
    params.err_handler.arg = endpoint.get();
  }
  check(env, "ucp", "ucp_ep_create", ucp_ep_create(endpoint->worker->handle, &params, &endpoint->handle));
  ++endpoint->worker->children;
  keep(endpoint);
  return wrap(env, endpoint);
}

Napi::Value print(const Napi::CallbackInfo &info) {
  const auto endpoint = unwrap<Endpoint>(info[0]);
  return Napi::String::New(info.Env(), printed([&](FILE *stream) { ucp_ep_print_info(endpoint->handle, stream); }));
}

// ucpEpFailure(endpoint): UCX's text, or null
Napi::Value failure(const Napi::CallbackInfo &info) {
  const ucs_status_t status = unwrap<Endpoint>(info[0])->failure;
  if (status == UCS_OK) return info.Env().Null();
  return Napi::String::New(info.Env(), ucs_status_string(status));
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Waits until a request is complete, at most `seconds`; its status, or UCS_ERR_TIMED_OUT.
ucs_status_t wait_for(ucs_status_ptr_t request, double seconds) {
  if (!UCS_PTR_IS_PTR(request)) return UCS_PTR_STATUS(request);
  const double end = now() + seconds;
  ucs_status_t status = UCS_INPROGRESS;
  while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS && now() < end) progress_all();
  ucp_request_free(request);
  return status == UCS_INPROGRESS ? UCS_ERR_TIMED_OUT : status;
}

// ucpEpClose(endpoint, force, timeout)
Napi::Value close(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto endpoint = unwrap<Endpoint>(info[0]);
  const auto &worker = endpoint->worker;
  require_unused(env, *endpoint, "ucp_ep_close_nbx", "keys or channels of the endpoint live; destroy them first");
  ucp_request_param_t param = {};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = info[1].ToBoolean() ? UCP_EP_CLOSE_FLAG_FORCE : 0;
  const ucs_status_t status =
      wait_for(ucp_ep_close_nbx(endpoint->handle, &param), info[2].As<Napi::Number>().DoubleValue());
  if (endpoint->failure != UCS_OK) worker->failure = UCS_OK;
  --worker->children;
  // UCX may still call the error handler of an endpoint that is on its way out: the worker keeps it.
  if (status == UCS_ERR_TIMED_OUT) {
    endpoint->gone = true;
  } else {
    forget(*endpoint);
  }
  sweep(*worker);
  // The peer has closed its end already, and nothing is in flight that could be lost.
  const bool closed_there = status == UCS_ERR_CONNECTION_RESET || status == UCS_ERR_NOT_CONNECTED;
  if (!closed_there) check(env, "ucp", "ucp_ep_close_nbx", status);
  return env.Undefined();
}

// ucpRkeyUnpack(endpoint, packed)
Napi::Value unpack(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  auto key = std::make_shared<Rkey>();
  key->endpoint = unwrap<Endpoint>(info[0]);
  const Bytes packed = bytes_of(env, info[1], "the packed key");
  check(env, "ucp", "ucp_ep_rkey_unpack", ucp_ep_rkey_unpack(key->endpoint->handle, packed.data, &key->handle));
  ++key->endpoint->children;
  keep(key);
  return wrap(env, key);
}

Napi::Value destroy_key(const Napi::CallbackInfo &info) {
  const auto key = unwrap<Rkey>(info[0]);
  require_unused(info.Env(), *key, "ucp_rkey_destroy", "", true);
  ucp_rkey_destroy(key->handle);
  --key->endpoint->children;
  forget(*key);
  return info.Env().Undefined();
}

}  // namespace

void export_endpoint(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpEpCreate", Napi::Function::New(env, create));
  exports.Set("ucpEpInfo", Napi::Function::New(env, print));
  exports.Set("ucpEpFailure", Napi::Function::New(env, failure));
  exports.Set("ucpEpClose", Napi::Function::New(env, close));
  exports.Set("ucpRkeyUnpack", Napi::Function::New(env, unpack));
  exports.Set("ucpRkeyDestroy", Napi::Function::New(env, destroy_key));
}

}  // namespace fabricbench::ucx::ucp
