// A flag and a buffer in shared memory: messages between two processes of one host, as fast as such a thing can be. No
// JavaScript in here.
//
// Each direction of a line is a ring of cells in the receiver's segment. A cell's first word tells that a piece of a
// message is there, and a small one lies right behind it, so that a short message moves one cache line. Longer pieces
// lie in slots beside the cells. The sender reads how far the receiver is only when it has no more room.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/operation.hpp"

namespace fabricbench {

constexpr uint32_t kShmCells = 64;
constexpr uint32_t kShmSlots = 32;
constexpr size_t kShmInline = 248;
constexpr size_t kShmSlotBytes = 8192;

struct alignas(64) ShmCell {
  uint64_t head;  // number of the piece in the low half, from 1; its length and kind in the high one
  uint8_t data[kShmInline];
};
static_assert(sizeof(ShmCell) == 256, "a cell is four cache lines");

// One direction of a line, as it lies in the file. All zero at first.
struct ShmRing {
  ShmCell cells[kShmCells];
  // The receiver's: how many cells and slots it has emptied, told now and then.
  alignas(128) uint32_t cells_emptied;
  uint32_t slots_emptied;
  alignas(4096) uint8_t slots[kShmSlots][kShmSlotBytes];
};

constexpr uint32_t kShmLast = 1u << 31;    // the message's last piece
constexpr uint32_t kShmInSlot = 1u << 30;  // the piece lies in the next slot
constexpr uint32_t kShmLength = kShmInSlot - 1;

// A message on its way out or in.
struct ShmMessage {
  uint8_t *data;
  size_t size;
  size_t done;
};

// First in, first out, without an allocation once it has been as long as it gets.
class ShmQueue {
 public:
  bool empty() const { return left_ == 0; }
  ShmMessage &front() { return messages_[first_]; }
  void push(uint8_t *data, size_t size) {
    messages_.push_back({data, size, 0});
    ++left_;
  }
  void pop() {
    ++first_;
    if (--left_ == 0) clear();
  }
  void clear() {
    messages_.clear();
    first_ = left_ = 0;
  }

 private:
  std::vector<ShmMessage> messages_;
  size_t first_ = 0;
  size_t left_ = 0;
};

// Between two looks at a flag. The first looks follow each other at once: a pause may last longer than a message takes.
// Now and then the processor is given away, since there may be more ranks than processors.
class ShmSpin {
 public:
  static constexpr uint32_t kSpins = 4096;

  void operator()() {
    if (++spins_ < kSpins) return;
    if (spins_ % kSpins == 0) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
  }

 private:
  uint32_t spins_ = 0;
};

// Both directions of one channel's messages. One thread at a time may use a line. Its counts go on from one channel to
// the next that uses it.
class ShmLine {
 public:
  static constexpr int32_t kTooLong = 1;  // codes of operations
  static constexpr int32_t kBroken = 2;

  ShmLine(ShmRing *out, ShmRing *in) : out_(out), in_(in) {}

  // kSize is the message's size where it is known at build, or 0.
  template <size_t kSize>
  int32_t send(const uint8_t *data, size_t size, const Context *context) {
    if (__builtin_expect(may_send_now() && has_cell() && (kSize != 0 || size <= kShmInline), 1)) {
      memcpy(next_cell().data, data, kSize != 0 ? kSize : size);
      publish(static_cast<uint32_t>(kSize != 0 ? kSize : size) | kShmLast);
      return 0;
    }
    return send_later(data, size, context);
  }

  template <size_t kSize>
  int32_t receive(uint8_t *data, size_t size, const Context *context) {
    if (__builtin_expect(!sends_.empty() || !receives_.empty() || broken_, 0))
      return receive_later(data, size, context);
    const uint32_t number = received_ + 1;
    const ShmCell &cell = in_->cells[received_ % kShmCells];
    uint64_t head;
    // The first looks follow each other at once, and nothing but them is in the way of the message.
    uint32_t looks = ShmSpin::kSpins;
    while (static_cast<uint32_t>(head = load(&cell.head)) != number) {
      if (--looks == 0 || is_cancelled(context)) return receive_later(data, size, context);
    }
    const auto kind = static_cast<uint32_t>(head >> 32);
    const size_t length = kind & kShmLength;
    const bool whole = kSize != 0 ? kind == (kSize | kShmLast) : kind == (length | kShmLast) && length <= size;
    if (__builtin_expect(whole, 1)) {
      memcpy(data, cell.data, kSize != 0 ? kSize : length);
      empty_cell();
      return 0;
    }
    return receive_later(data, size, context);
  }

  // Sends what there is room for; the rest goes whenever an operation of this line waits.
  int32_t start_send(const uint8_t *data, size_t size);
  int32_t start_receive(uint8_t *data, size_t size);
  int32_t complete_sends(const Context *context);
  int32_t complete_receives(const Context *context);
  // Nothing that was started may touch its buffers any more. A line with messages under way can't be used again.
  void forget();

 private:
  static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

  bool may_send_now() const { return sends_.empty() && !broken_; }
  ShmCell &next_cell() { return out_->cells[sent_ % kShmCells]; }
  bool has_cell() {
    if (__builtin_expect(sent_ - cells_emptied_ < kShmCells, 1)) return true;
    cells_emptied_ = __atomic_load_n(&out_->cells_emptied, __ATOMIC_ACQUIRE);
    return sent_ - cells_emptied_ < kShmCells;
  }
  bool has_slot() {
    if (slots_sent_ - slots_emptied_ < kShmSlots) return true;
    slots_emptied_ = __atomic_load_n(&out_->slots_emptied, __ATOMIC_ACQUIRE);
    return slots_sent_ - slots_emptied_ < kShmSlots;
  }
  // The cell's piece is there.
  void publish(uint32_t kind) {
    ShmCell &cell = next_cell();
    __atomic_store_n(&cell.head, static_cast<uint64_t>(kind) << 32 | ++sent_, __ATOMIC_RELEASE);
  }
  void empty_cell() {
    if (++received_ % (kShmCells / 4) == 0) __atomic_store_n(&in_->cells_emptied, received_, __ATOMIC_RELEASE);
  }
  void empty_slot() {
    if (++slots_received_ % (kShmSlots / 4) == 0) {
      __atomic_store_n(&in_->slots_emptied, slots_received_, __ATOMIC_RELEASE);
    }
  }

  bool send_piece(ShmMessage *message);
  bool receive_piece(ShmMessage *message, bool *last);
  void progress();
  int32_t wait(const ShmQueue &queue, const Context *context);
  int32_t give_up();
  int32_t send_later(const uint8_t *data, size_t size, const Context *context);
  int32_t receive_later(uint8_t *data, size_t size, const Context *context);

  ShmRing *const out_;
  ShmRing *const in_;
  bool broken_ = false;
  bool too_long_ = false;  // a message since the last wait
  uint32_t sent_ = 0, cells_emptied_ = 0, slots_sent_ = 0, slots_emptied_ = 0;
  uint32_t received_ = 0, slots_received_ = 0;
  ShmQueue sends_, receives_;
};

}  // namespace fabricbench
