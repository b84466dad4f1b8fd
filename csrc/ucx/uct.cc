// UCT: transports, one by one. The files uct_*.cc each hold a part.
#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {

void register_uct(Napi::Env env, Napi::Object exports) {
  register_uct_resources(env, exports);
  register_uct_attributes(env, exports);
  register_uct_iface(env, exports);
  register_uct_memory(env, exports);
  register_uct_messages(env, exports);
  register_uct_am(env, exports);
  register_uct_rma(env, exports);
  register_uct_atomic(env, exports);
  register_uct_waits(env, exports);
  register_uct_channel(env, exports);
}

}  // namespace fabricbench::ucx
