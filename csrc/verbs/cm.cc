#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

void register_cm(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::verbs
