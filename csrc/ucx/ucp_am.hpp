// Handlers of active messages, and the call that sends them.
#pragma once

#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {

struct AmSend : PlainCall {
  static constexpr Completion kCompletion = Completion::kSend;
  ucp_ep_h endpoint;
  unsigned id;
  const void *header;
  size_t header_length;
  const void *buffer;
  size_t count;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_am_send_nbx(endpoint, id, header, header_length, buffer, count, param);
  }
};

// What is set as handler of one id at a worker. The worker keeps it until it is taken away.
struct Handler : Box {
  explicit Handler(const char *what) : Box(what) {}
  std::shared_ptr<Worker> worker;
  unsigned id = 0;
  ucs_status_t failure = UCS_OK;   // of a message, until an operation tells of it
  uint32_t receiving = 0;          // messages that rendezvous is bringing
  ucp_request_param_t param = {};  // of their receives
};

// Sets a handler, whose callback gets `self`. Throws where the id has one already.
void set_handler(Napi::Env env, const std::shared_ptr<Handler> &handler, ucp_am_recv_callback_t callback, void *self);
// Takes it away. Throws where operations use it, and while messages are being received.
void take_handler(Napi::Env env, Handler &handler, const char *call);

inline bool is_rendezvous(const ucp_am_recv_param_t *param) {
  return (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
}

}  // namespace fabricbench::ucx::ucp
