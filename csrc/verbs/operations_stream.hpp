// A stream of work requests over queue pairs of one completion queue.
//
// The id of a work request is its number within its queue pair's stream, above 16 bits for the queue pair's place: so a
// completion tells how many are complete, whatever was signaled, and an error which one failed.
#pragma once

#include <memory>
#include <vector>

#include "verbs/operations_receives.hpp"
#include "verbs/operations_wait.hpp"
#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs {

constexpr uint32_t kIdShift = 16;
constexpr uint64_t kIdStep = uint64_t{1} << kIdShift;
constexpr uint64_t kNever = UINT64_MAX;

// What is posted to one queue pair.
struct SendLane {
  Target target;
  ibv_send_wr *first = nullptr;  // of the chain
  uint64_t posted = 0;
  uint64_t completed = 0;
  uint64_t next_signal = 0;  // number of the next work request that is signaled; those are the irregular streams' own
  uint64_t signaled = 0;     // work requests up to the last signaled one
  uint32_t flags = 0;        // of each work request, beside the signaling
  // Of a walk: where it stands, and where the addresses are.
  uint64_t at = 0;
  uint64_t local = 0, remote = 0;
  uint64_t *remote_word = nullptr;
  uint64_t nowhere = 0;  // takes the remote address of calls that have none

  std::vector<ibv_send_wr> chain;
  std::vector<ibv_sge> pieces;
  std::shared_ptr<Qp> qp;
};

struct Stream {
  SendLane *next = nullptr;  // whose turn it is
  SendLane *begin = nullptr, *end = nullptr;
  uint32_t list = 1;
  // Work requests that a queue pair may have outstanding now: none after a failure, and none before the first receive
  // where the stream waits for that.
  uint64_t depth = 0;
  uint64_t cq_mod = 1;
  uint64_t last = kNever;  // number of the last work request of a queue pair
  uint64_t step = 0, span = 0;

  ibv_cq *cq = nullptr;
  ibv_wc *found = nullptr;
  int per_poll = 1;
  uint64_t completed = 0;  // of all queue pairs
  int32_t failure = 0;     // what all further calls return
  uint64_t failed_id = 0;  // of the work request, where a completion told the failure
  bool is_completion = false;

  double *notes = nullptr;  // pairs: seconds, work requests complete
  uint64_t noted = 0, room = 0;
  uint64_t base = 0;  // ticks at the first execution

  uint64_t tx_depth = 0;
  Queues queues;
  std::shared_ptr<Receives> receives;  // that are taken meanwhile
  bool after = false;                  // nothing is sent before the first of them
  uint64_t arrived_before = 0;
  Uses uses;
  std::vector<SendLane> lanes;
  std::vector<ibv_wc> completions;  // that one poll found
};

struct StreamOperation : VerbsOperation {
  std::shared_ptr<Stream> stream;
};

// Which code runs. Modes are functions of their own, so that nothing is looked up while they run.
struct StreamModes {
  bool calls;   // ibv_wr_* and not ibv_post_send
  bool fixed;   // each chain is signaled in the same places, the last of them at its end
  bool walk;    // the addresses change from one work request to the next
  bool single;  // chains are one work request long
  bool events;
  bool notes;
  bool takes;  // receives meanwhile
};
struct StreamFunctions {
  Execute post, end;
};
StreamFunctions stream_functions(const StreamModes &modes);

// To the state before the first post. `total`: see StreamRequest.
void restart_stream(Stream &stream, uint64_t total);

// Puts the failure of a stream into words: which work request of which queue pair, and why.
void describe_stream(Operation *self, int32_t code, char *text, size_t length);

}  // namespace fabricbench::verbs
