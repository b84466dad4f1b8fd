// Work requests of the send queue, built when they are bound, and the two ways to post them.
#pragma once

#include <cerrno>

#include "verbs/operations.hpp"

namespace fabricbench::verbs {

// Makes the ibv_wr_* calls of one work request, all but start and complete.
using Build = void (*)(ibv_qp_ex *qp, const ibv_send_wr *wr);

// Where work requests go. What is needed while posting lies together.
struct Target {
  ibv_qp *qp = nullptr;
  ibv_qp_ex *qp_ex = nullptr;
  Build build = nullptr;
};

// What a SendWr of JavaScript says.
struct SendRequest {
  Target target;
  ibv_send_wr wr = {};  // its sg_list is null
  ibv_sge sge = {};
  const char *name = nullptr;  // of the call that posts it
  std::shared_ptr<Qp> qp;
};

SendRequest read_send(const Request &request, Uses &uses);
// Part of a memory region: mr, offset, length.
ibv_sge read_piece(const Request &request, Uses &uses);

// Sets the piece of memory of a work request; none where there are no bytes, since devices take a piece of length 0 for
// one of 2 GiB.
template <class Wr>
void set_piece(Wr &wr, ibv_sge &sge) {
  wr.sg_list = &sge;
  wr.num_sge = sge.length == 0 ? 0 : 1;
}

// Whether a work request names memory of the other side, which is in the same place for RDMA calls and atomics.
inline bool has_remote(const ibv_send_wr &wr) { return wr.opcode != IBV_WR_SEND && wr.opcode != IBV_WR_SEND_WITH_IMM; }
static_assert(offsetof(ibv_send_wr, wr.rdma.remote_addr) == offsetof(ibv_send_wr, wr.atomic.remote_addr));

// Calls return an errno; some providers -1, and set errno.
inline int32_t errno_of(int code) { return code >= 0 ? code : errno; }

// Posts a chain of `count` work requests, an array whose `next` are set. On failure `*bad` is the first that wasn't
// posted.
struct ByList {
  static inline __attribute__((always_inline)) int post(const Target &target, ibv_send_wr *first, uint32_t,
                                                        ibv_send_wr **bad) {
    return ibv_post_send(target.qp, first, bad);
  }
};
struct ByCalls {
  static inline __attribute__((always_inline)) int post(const Target &target, ibv_send_wr *first, uint32_t count,
                                                        ibv_send_wr **bad) {
    ibv_wr_start(target.qp_ex);
    for (uint32_t i = 0; i < count; ++i) target.build(target.qp_ex, first + i);
    *bad = first;  // none is posted where the last call fails
    return ibv_wr_complete(target.qp_ex);
  }
};

}  // namespace fabricbench::verbs
