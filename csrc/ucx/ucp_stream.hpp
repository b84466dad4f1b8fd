// The calls of streams that channels use too.
#pragma once

#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {

struct StreamSend : PlainCall {
  static constexpr Completion kCompletion = Completion::kSend;
  ucp_ep_h endpoint;
  const void *buffer;
  size_t count;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_stream_send_nbx(endpoint, buffer, count, param);
  }
};

// Takes as many bytes as there is room for: `want_all` must have been called for its parameters.
struct StreamReceive : PlainCall {
  static constexpr Completion kCompletion = Completion::kLength;
  ucp_ep_h endpoint;
  void *buffer;
  size_t count;
  size_t received;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_stream_recv_nbx(endpoint, buffer, count, &received, param);
  }
  static void want_all(ucp_request_param_t &param) {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
    param.flags |= UCP_STREAM_RECV_FLAG_WAITALL;
  }
};

}  // namespace fabricbench::ucx::ucp
