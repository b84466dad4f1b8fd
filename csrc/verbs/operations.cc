#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

void register_operations(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::verbs
