#include "ucx/ucp_objects.hpp"
namespace fabricbench::ucx::ucp {
void export_channel(Napi::Env, Napi::Object) {}
}  // namespace fabricbench::ucx::ucp
