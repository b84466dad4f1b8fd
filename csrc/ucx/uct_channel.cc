#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {

void register_uct_channel(Napi::Env, Napi::Object) {}

}  // namespace fabricbench::ucx
