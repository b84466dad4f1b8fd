#include "ucx/ucs.hpp"

namespace fabricbench::ucx {

void register_uct(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::ucx
