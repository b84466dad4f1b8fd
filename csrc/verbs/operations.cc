#include "verbs/operations.hpp"

#include "engine/clock.h"

namespace fabricbench::verbs {

void register_operations(Napi::Env env, Napi::Object exports) {
  fb_clock_start();
  register_single_operations(env, exports);
  register_streams(env, exports);
  register_receives(env, exports);
}

}  // namespace fabricbench::verbs
