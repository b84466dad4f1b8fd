// Receives of one completion queue: polled in batches, posted again as they are found, handed out one by one.
#pragma once

#include "verbs/operations_wait.hpp"
#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs {

// Receives of one queue pair or SRQ.
struct RecvLane {
  ibv_qp *qp = nullptr;
  ibv_srq *srq = nullptr;
  std::shared_ptr<Child> owner;
  std::vector<ibv_recv_wr> chain;  // what is posted anew by one call
  ibv_sge sge = {};
  uint32_t found = 0;  // since the last such call
};

struct Receives {
  std::shared_ptr<Cq> cq;
  std::vector<RecvLane> lanes;
  std::vector<ibv_wc> found;  // as many as one poll asks for
  uint32_t list = 1;
  uint64_t arrived = 0;  // found by polls, and posted again
  uint64_t taken = 0;    // handed out by `take` and `test`
  int32_t failure = 0;   // what all further calls return
  Queues queues;
  Uses uses;
  // Polls once. Gives how many were found, or with `failure` set -1.
  int (*poll)(Receives *receives) = nullptr;
};

// Reads a ReceivesRequest.
std::shared_ptr<Receives> read_receives(const Request &request);
// {state, take, test}
Napi::Object bind_receives(const Request &request, const std::shared_ptr<Receives> &receives);

}  // namespace fabricbench::verbs
