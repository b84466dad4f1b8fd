#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

void register_queues(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::verbs
