#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

void register_queue_pairs(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::verbs
