#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

void register_devices(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::verbs
