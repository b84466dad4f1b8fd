#include "ucx/ucs.hpp"

#include <cstdio>

namespace fabricbench::ucx {

void check(Napi::Env env, const char *stack, const char *call, ucs_status_t status) {
  if (status == UCS_OK) return;
  Operation failed;
  init_operation(&failed, stack, call, 0);
  throw Napi::Error(env, operation_error(env, &failed, status, ucs_status_string(status), nullptr));
}

void describe_status(Operation *, int32_t code, char *text, size_t length) {
  snprintf(text, length, "%s", ucs_status_string(static_cast<ucs_status_t>(code)));
}

}  // namespace fabricbench::ucx
