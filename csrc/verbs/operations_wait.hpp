// How operations wait for completions: by polling alone, or asleep until the completion channel tells.
#pragma once

#include <cerrno>

#include "verbs/operations.hpp"

namespace fabricbench::verbs {

// The queues that an operation waits for; all that it sleeps for have a channel.
struct Queues {
  Cq *queues[2] = {nullptr, nullptr};
  uint32_t count = 0;

  void add(Cq *cq) {
    if (count == 0 || queues[0] != cq) queues[count++] = cq;
  }
};

// What is done after polls that found nothing. Each gives 0 to have the caller poll again.
struct Spin {
  static inline int32_t turn(const Queues &, fabricbench::Context *context) {
    give_way(context);
    return __builtin_expect(is_cancelled(context), 0) ? kOperationCancelled : 0;
  }
};

// Arms the queues; the second time, with nothing found since, sleeps for an event.
struct Sleep {
  static int32_t turn(const Queues &queues, fabricbench::Context *context);
};

// Has the queue's events find it again. For what sleeps.
inline void expect_events(const std::shared_ptr<Cq> &cq) { cq->cq->cq_context = cq.get(); }

// Of a completion, or of a poll that failed.
inline int32_t code_of(const ibv_wc &wc) { return kWcStatus + static_cast<int32_t>(wc.status); }
constexpr int32_t kPollFailed = EIO;  // ibv_poll_cq says no more than that it failed

}  // namespace fabricbench::verbs
