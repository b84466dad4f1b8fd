// Matches active messages with receives in the order in which both come.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "ucx/ucp_am.hpp"

namespace fabricbench::ucx::ucp {

// A queue that keeps what it has allocated, for entries that are used again.
template <class T>
class Ring {
 public:
  bool empty() const { return first_ == last_; }
  // The entry that comes in at the end.
  T &push() {
    if (last_ - first_ == entries_.size()) grow();
    return entries_[last_++ & (entries_.size() - 1)];
  }
  T &front() { return entries_[first_ & (entries_.size() - 1)]; }
  void pop() { ++first_; }
  // Takes out the entries for which `matches` holds.
  template <class Matches>
  void remove(Matches matches) {
    const size_t count = last_ - first_;
    for (size_t i = 0; i < count; ++i) {
      T entry = std::move(front());
      pop();
      if (!matches(entry)) push() = std::move(entry);
    }
  }

 private:
  void grow() {
    std::vector<T> larger(entries_.empty() ? 16 : 2 * entries_.size());
    const size_t count = last_ - first_;
    for (size_t i = 0; i < count; ++i) larger[i] = std::move(entries_[(first_ + i) & (entries_.size() - 1)]);
    entries_ = std::move(larger);
    first_ = 0;
    last_ = count;
  }

  std::vector<T> entries_;
  size_t first_ = 0;
  size_t last_ = 0;
};

// A receive that waits for its message. It counts in `counter` until the message is there.
struct Slot {
  void *buffer;
  size_t size;
  Counter *counter;
};

// A message that was there before its receive.
struct Early {
  void *data = nullptr;  // UCX's; null where it was copied
  size_t length = 0;
  bool is_rendezvous = false;
  std::vector<char> copy;
};

struct Queue {
  ucp_worker_h worker = nullptr;
  Ring<Slot> posted;
  Ring<Early> early;
  ucp_request_param_t param = {};

  explicit Queue(ucp_worker_h handle);
  // Posts a receive.
  void post(const Slot &slot) {
    ++slot.counter->count;
    if (__builtin_expect(early.empty(), 1)) {
      posted.push() = slot;
    } else {
      take_early(slot);
    }
  }
  // Takes the receives of a counter back.
  void withdraw(Counter *counter);
  // Lets go of all messages and receives that have found no partner.
  void clear();
  // UCX's callback.
  static ucs_status_t take(void *self, const void *header, size_t header_length, void *data, size_t length,
                           const ucp_am_recv_param_t *param);

 private:
  void take_early(const Slot &slot);
  ucs_status_t keep(void *data, size_t length, const ucp_am_recv_param_t *param);
  // Has rendezvous bring a message. False where that failed, or where the message is too long.
  bool fetch(const Slot &slot, void *data, size_t length);
};

}  // namespace fabricbench::ucx::ucp
