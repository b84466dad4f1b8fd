#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

void register_memory(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::verbs
