// ucx.node: UCP and UCT for JavaScript. src/ucx/ is the only caller, and checks every argument first.
#include <napi.h>
#include <ucp/api/ucp.h>

#include "engine/ucx_memory.hpp"
#include "ucx/ucs.hpp"

namespace fabricbench::ucx {
namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  settle_ucx_hooks();
  keep_freed_memory();
  exports.Set("version", ucp_get_version_string());
  export_operation_support(env, exports);
  register_ucp(env, exports);
  register_uct(env, exports);
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace
}  // namespace fabricbench::ucx
