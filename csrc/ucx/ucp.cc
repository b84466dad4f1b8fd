#include "ucx/ucs.hpp"

namespace fabricbench::ucx {

void register_ucp(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::ucx
