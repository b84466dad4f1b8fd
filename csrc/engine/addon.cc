#include "engine/addon.hpp"

#include "engine/cancel.hpp"
#include "engine/operation_js.hpp"

namespace fabricbench {
namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  export_operation_support(env, exports);
  set_cancel_word(&cancel_word());
  export_cancel(env, exports);
  export_clock(env, exports);
  export_buffer(env, exports);
  export_operations(env, exports);
  export_groups(env, exports);
  export_control(env, exports);
  export_raw(env, exports);
  export_numbers(env, exports);
  export_compute(env, exports);
  export_pace(env, exports);
  export_shm(env, exports);
  export_timestamp(env, exports);
  export_program(env, exports);
  export_threads(env, exports);
  export_watchdog(env, exports);
  export_affinity(env, exports);
  export_memory_policy(env, exports);
  return exports;
}

NODE_API_MODULE(engine, init)

}  // namespace
}  // namespace fabricbench
