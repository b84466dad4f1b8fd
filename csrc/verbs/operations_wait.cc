#include "verbs/operations_wait.hpp"

#include <poll.h>

#include <cerrno>

#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs {
namespace {

// Milliseconds after which a sleeper looks whether the run was cancelled.
constexpr int kSleep = 50;
// Acknowledging takes a lock: events are acknowledged by so many at once, and what is left when the queue is destroyed.
constexpr uint32_t kAcknowledgeAt = 64;

void acknowledge(Cq &cq) {
  if (++cq.unacknowledged < kAcknowledgeAt) return;
  ibv_ack_cq_events(cq.cq, cq.unacknowledged);
  cq.unacknowledged = 0;
}

// Takes one event, of whichever queue of the channel.
int32_t take_event(ibv_comp_channel *channel) {
  ibv_cq *cq = nullptr;
  void *owner = nullptr;
  if (ibv_get_cq_event(channel, &cq, &owner) != 0) return errno;
  if (owner == nullptr) {  // nobody sleeps for it
    ibv_ack_cq_events(cq, 1);
    return 0;
  }
  auto *known = static_cast<Cq *>(owner);
  known->armed = false;
  acknowledge(*known);
  return 0;
}

// Gives true where any queue had to be armed: what came before that makes no event.
bool arm(const Queues &queues, int32_t *code) {
  bool any = false;
  for (uint32_t i = 0; i < queues.count; ++i) {
    Cq *cq = queues.queues[i];
    if (cq->armed) continue;
    *code = errno_of(ibv_req_notify_cq(cq->cq, 0));
    if (*code != 0) return true;
    any = cq->armed = true;
  }
  return any;
}

int32_t sleep_for(const Queues &queues) {
  pollfd files[2] = {};
  ibv_comp_channel *channels[2] = {};
  nfds_t count = 0;
  for (uint32_t i = 0; i < queues.count; ++i) {
    ibv_comp_channel *channel = queues.queues[i]->channel->channel;
    if (count > 0 && channels[0] == channel) continue;
    channels[count] = channel;
    files[count++] = {channel->fd, POLLIN, 0};
  }
  if (poll(files, count, kSleep) < 0) return errno == EINTR ? 0 : errno;
  for (nfds_t i = 0; i < count; ++i) {
    if (files[i].revents == 0) continue;
    const int32_t code = take_event(channels[i]);
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace

int32_t Sleep::turn(const Queues &queues, fabricbench::Context *context) {
  if (is_cancelled(context)) return kOperationCancelled;
  int32_t code = 0;
  if (arm(queues, &code)) return code;
  return sleep_for(queues);
}

}  // namespace fabricbench::verbs
