// The calls of tagged messages that channels use too.
#pragma once

#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {

struct TagSend : PlainCall {
  static constexpr Completion kCompletion = Completion::kSend;
  ucp_ep_h endpoint;
  const void *buffer;
  size_t count;
  ucp_tag_t tag;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_tag_send_nbx(endpoint, buffer, count, tag, param);
  }
};

struct TagReceive : PlainCall {
  static constexpr Completion kCompletion = Completion::kTag;
  ucp_worker_h worker;
  void *buffer;
  size_t count;
  ucp_tag_t tag;
  ucp_tag_t mask;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_tag_recv_nbx(worker, buffer, count, tag, mask, param);
  }
};

}  // namespace fabricbench::ucx::ucp
