// Dynamically connected transport, which mlx5 alone has.
#pragma once

#include <infiniband/verbs.h>

#include <string>

#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

// What every DCT is reached with.
constexpr uint64_t kDcKey = 0x0fab0be0;

// Makes a DCI or a DCT. Returns null with errno set.
ibv_qp *create_dc(ibv_context *context, const std::string &type, ibv_qp_init_attr_ex *attributes);

// Throws RangeError where the device has no DC, or this build.
void require_dc(Napi::Env env, ibv_context *context);

// The mlx5dv_qp_ex of a DCI.
void *dci_of(ibv_qp_ex *qp);

}  // namespace fabricbench::verbs
