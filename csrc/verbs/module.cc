// verbs.node: libibverbs and librdmacm for JavaScript. src/verbs/ is the only caller, and checks every argument first.
#include "verbs/verbs.hpp"

namespace fabricbench::verbs {
namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  export_operation_support(env, exports);
  register_devices(env, exports);
  register_memory(env, exports);
  register_queues(env, exports);
  register_queue_pairs(env, exports);
  register_operations(env, exports);
  register_cm(env, exports);
  register_channels(env, exports);
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace
}  // namespace fabricbench::verbs
