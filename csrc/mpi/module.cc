// mpi.node: MPI for JavaScript. One JavaScript thread of a process may use it, since MPI is one to a process.
#include <atomic>

#include "engine/operation_js.hpp"
#include "register.hpp"

namespace fabricbench::mpi {
namespace {

std::atomic<napi_env> owner{nullptr};

// The error of a bound call that JavaScript called.
napi_value operation_failed(napi_env env, const Operation *operation, int32_t code, const char *text,
                            const FailurePlace *place) {
  const bool engines = code == kOperationCancelled || code == kOperationPending || operation->released;
  if (engines) return operation_error(env, operation, code, text, place);
  return make_error(env, operation->name, code).Value();
}

Napi::Value set_mpi_error_class(const Napi::CallbackInfo &info) {
  set_error_class(info[0].As<Napi::Function>());
  return info.Env().Undefined();
}

void close_module(void *) {
  set_closing();
  forget_error_class();
  forget_status_class();
  forget_sentinels();
  forget_classes();
}

void claim(Napi::Env env) {
  napi_env expected = nullptr;
  if (owner.compare_exchange_strong(expected, env)) return;
  throw Napi::Error::New(env,
                         "MPI is in use by another JavaScript thread of this process: use it from one thread only");
}

Napi::Object define_module(Napi::Env env, Napi::Object exports) {
  claim(env);
  napi_add_env_cleanup_hook(env, close_module, nullptr);
  export_operation_support(env, exports);
  set_error_factory(operation_failed);
  exports.Set("family", FABRICBENCH_MPI_FAMILY);
  exports.Set("setMpiErrorClass", Napi::Function::New<set_mpi_error_class>(env, "setMpiErrorClass"));
  define_status(env, exports);
  auto bind = Napi::Object::New(env);
  exports.Set("bind", bind);
  define_class<Op>(env, exports);
  define_class<Message>(env, exports);
  define_class<Requests>(env, exports);
  Registry registry{env, exports, bind};
  register_environment(registry);
  register_communicators(registry);
  register_groups(registry);
  register_datatypes(registry);
  register_constants(registry);
  register_point_to_point(registry);
  register_completion(registry);
  register_collectives(registry);
  register_windows(registry);
  register_one_sided(registry);
  register_persistent_collectives(registry);
  register_topology(registry);
  register_neighborhood(registry);
  register_sessions(registry);
  register_selection(registry);
  return exports;
}

Napi::Object init(Napi::Env env, Napi::Object exports) { return define_module(env, exports); }

}  // namespace

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace fabricbench::mpi
