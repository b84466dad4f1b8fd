// What streams execute.
#include "verbs/operations_stream.hpp"

#include "engine/clock.h"

namespace fabricbench::verbs {
namespace {

// After a failure no queue pair has room, so that whatever comes next asks for room and hears of it.
__attribute__((noinline, cold)) int32_t fail(Stream *stream, int32_t code) {
  stream->failure = code;
  stream->depth = 0;
  return code;
}

__attribute__((noinline, cold)) int32_t fail_at(Stream *stream, const ibv_wc &wc) {
  stream->failed_id = wc.wr_id;
  stream->is_completion = true;
  return fail(stream, code_of(wc));
}

// One note for all that one poll found: they were seen at the same time.
inline void note(Stream *stream) {
  if (stream->noted == stream->room) return;
  double *pair = stream->notes + 2 * stream->noted++;
  pair[0] = fb_seconds(fb_ticks() - stream->base);
  pair[1] = static_cast<double>(stream->completed);
}

template <bool kNotes>
inline int32_t take_completions(Stream *stream, int count) {
  for (int i = 0; i < count; ++i) {
    const ibv_wc &wc = stream->found[i];
    if (__builtin_expect(wc.status != IBV_WC_SUCCESS, 0)) return fail_at(stream, wc);
    SendLane &lane = stream->begin[wc.wr_id % kIdStep];
    const uint64_t completed = (wc.wr_id >> kIdShift) + 1;
    stream->completed += completed - lane.completed;
    lane.completed = completed;
  }
  if constexpr (kNotes) note(stream);
  return 0;
}

// Polls for receives. Opens a stream that waits for the first.
inline int take_receives(Stream *stream) {
  Receives *receives = stream->receives.get();
  if (__builtin_expect(receives->failure != 0, 0)) return -1;
  const int count = receives->poll(receives);
  if (stream->depth == 0 && receives->arrived != stream->arrived_before) stream->depth = stream->tx_depth;
  return count;
}

// How a stream waits: what it polls, and what it does when that gives nothing.
template <class Idle, bool kNotes, bool kTakes>
struct Waiting {
  static constexpr bool kNotesTimes = kNotes;

  static int32_t turn(Stream *stream, fabricbench::Context *context) {
    if (__builtin_expect(stream->failure != 0, 0)) return stream->failure;
    int count = ibv_poll_cq(stream->cq, stream->per_poll, stream->found);
    if (count > 0) {
      const int32_t code = take_completions<kNotes>(stream, count);
      if (__builtin_expect(code != 0, 0)) return code;
    } else if (__builtin_expect(count < 0, 0)) {
      return fail(stream, kPollFailed);
    }
    if constexpr (kTakes) {
      const int taken = take_receives(stream);
      if (__builtin_expect(taken < 0, 0)) return fail(stream, stream->receives->failure);
      count += taken;
    }
    if (count == 0) return Idle::turn(stream->queues, context);
    return __builtin_expect(is_cancelled(context), 0) ? kOperationCancelled : 0;
  }
};

// Which number is signaled next: the places are counted from one that was signaled out of turn, the last.
inline uint64_t next_after(const Stream *stream, uint64_t number) {
  const uint64_t next = number + stream->cq_mod;
  return number < stream->last && next > stream->last ? stream->last : next;
}

// Each chain is signaled in the same places, so that flags are left as they were set at first.
struct Fixed {
  static constexpr bool kFixed = true;
  static inline void sign(const Stream *, SendLane *, ibv_send_wr *, uint64_t) {}
};
struct Counted {
  static constexpr bool kFixed = false;
  static inline void sign(const Stream *stream, SendLane *lane, ibv_send_wr *wr, uint64_t number) {
    if (__builtin_expect(number != lane->next_signal, 1)) {
      wr->send_flags = lane->flags;
      return;
    }
    wr->send_flags = lane->flags | IBV_SEND_SIGNALED;
    lane->signaled = number + 1;
    lane->next_signal = next_after(stream, number);
  }
};

struct Chain {
  static inline uint32_t length(const Stream *stream) { return stream->list; }
  static inline void move(const Stream *, SendLane *) {}
};
struct Single {
  static inline uint32_t length(const Stream *) { return 1; }
  static inline void move(const Stream *, SendLane *) {}
};
struct Walking {
  static inline uint32_t length(const Stream *) { return 1; }
  static inline void move(const Stream *stream, SendLane *lane) {
    lane->first->sg_list->addr = lane->local + lane->at;
    *lane->remote_word = lane->remote + lane->at;
    lane->at += stream->step;
    if (lane->at == stream->span) lane->at = 0;
  }
};

// The device has no place for work requests that the stream may have outstanding: waits for completions, as long as any
// are to come. `signaled`: the work requests up to the last signaled one before these.
template <class By, class Wait>
__attribute__((noinline, cold)) int32_t post_rest(Stream *stream, SendLane *lane, ibv_send_wr *first, ibv_send_wr *bad,
                                                  uint32_t count, uint64_t signaled, int32_t code,
                                                  fabricbench::Context *context) {
  while (code == ENOMEM) {
    for (; first != bad; ++first, --count) {
      if ((first->send_flags & IBV_SEND_SIGNALED) != 0) signaled = (first->wr_id >> kIdShift) + 1;
    }
    if (lane->completed >= signaled) break;
    const int32_t waited = Wait::turn(stream, context);
    if (waited != 0) return fail(stream, waited);
    code = errno_of(By::post(lane->target, first, count, &bad));
  }
  return code == 0 ? 0 : fail(stream, code);
}

template <class By, class Wait>
inline __attribute__((always_inline)) int32_t post(Stream *stream, SendLane *lane, ibv_send_wr *first, uint32_t count,
                                                   uint64_t signaled, fabricbench::Context *context) {
  ibv_send_wr *bad = nullptr;
  const int code = By::post(lane->target, first, count, &bad);
  if (__builtin_expect(code == 0, 1)) return 0;
  return post_rest<By, Wait>(stream, lane, first, bad, count, signaled, errno_of(code), context);
}

template <class By, class Shape, class Sign, class Wait>
int32_t execute_post(Operation *self, fabricbench::Context *context) {
  Stream *stream = static_cast<StreamOperation *>(self)->stream.get();
  SendLane *lane = stream->next;
  const uint32_t list = Shape::length(stream);
  if constexpr (Wait::kNotesTimes) {
    if (__builtin_expect(stream->base == 0, 0)) stream->base = fb_ticks();
  }
  while (lane->posted - lane->completed + list > stream->depth) {
    const int32_t code = Wait::turn(stream, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
  const uint64_t signaled = Sign::kFixed ? lane->posted : lane->signaled;
  ibv_send_wr *first = lane->first;
  Shape::move(stream, lane);
  for (uint32_t i = 0; i < list; ++i) {
    first[i].wr_id += static_cast<uint64_t>(list) << kIdShift;
    Sign::sign(stream, lane, first + i, lane->posted + i);
  }
  const int32_t code = post<By, Wait>(stream, lane, first, list, signaled, context);
  if (__builtin_expect(code != 0, 0)) return code;
  lane->posted += list;
  stream->next = lane + 1 == stream->end ? stream->begin : lane + 1;
  return 0;
}

// One more of the same kind, signaled: the places of the signaled ones are counted anew from it.
template <class By, class Wait>
int32_t post_last(Stream *stream, SendLane *lane, fabricbench::Context *context) {
  while (lane->posted - lane->completed + 1 > stream->depth) {
    const int32_t code = Wait::turn(stream, context);
    if (code != 0) return code;
  }
  ibv_send_wr last = *lane->first;
  last.next = nullptr;
  last.send_flags = lane->flags | IBV_SEND_SIGNALED;
  last.wr_id = (lane->posted << kIdShift) | static_cast<uint64_t>(lane - stream->begin);
  const int32_t code = post<By, Wait>(stream, lane, &last, 1, lane->signaled, context);
  if (code != 0) return code;
  for (ibv_send_wr &wr : lane->chain) wr.wr_id += kIdStep;
  lane->next_signal = next_after(stream, lane->posted);
  lane->signaled = ++lane->posted;
  return 0;
}

template <class By, class Sign, class Wait>
int32_t execute_end(Operation *self, fabricbench::Context *context) {
  Stream *stream = static_cast<StreamOperation *>(self)->stream.get();
  if (stream->failure != 0) return stream->failure;
  uint64_t posted = 0;
  for (SendLane *lane = stream->begin; lane != stream->end; ++lane) {
    if (!Sign::kFixed && lane->signaled != lane->posted) {
      const int32_t code = post_last<By, Wait>(stream, lane, context);
      if (code != 0) return code;
    }
    posted += lane->posted;
  }
  while (stream->completed < posted) {
    const int32_t code = Wait::turn(stream, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
  return 0;
}

template <class By, class Sign, class Wait>
StreamFunctions with_shape(const StreamModes &modes) {
  const Execute end = execute_end<By, Sign, Wait>;
  if (modes.walk) return {execute_post<By, Walking, Sign, Wait>, end};
  if (modes.single) return {execute_post<By, Single, Sign, Wait>, end};
  return {execute_post<By, Chain, Sign, Wait>, end};
}

template <class By, class Wait>
StreamFunctions with_signs(const StreamModes &modes) {
  return modes.fixed ? with_shape<By, Fixed, Wait>(modes) : with_shape<By, Counted, Wait>(modes);
}

template <class Wait>
StreamFunctions with_calls(const StreamModes &modes) {
  return modes.calls ? with_signs<ByCalls, Wait>(modes) : with_signs<ByList, Wait>(modes);
}

template <class Idle, bool kNotes>
StreamFunctions with_notes(const StreamModes &modes) {
  return modes.takes ? with_calls<Waiting<Idle, kNotes, true>>(modes) : with_calls<Waiting<Idle, kNotes, false>>(modes);
}

template <class Idle>
StreamFunctions with_idle(const StreamModes &modes) {
  return modes.notes ? with_notes<Idle, true>(modes) : with_notes<Idle, false>(modes);
}

}  // namespace

StreamFunctions stream_functions(const StreamModes &modes) {
  return modes.events ? with_idle<Sleep>(modes) : with_idle<Spin>(modes);
}

}  // namespace fabricbench::verbs
