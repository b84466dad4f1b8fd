#include "engine/shm.hpp"

namespace fabricbench {

// Sends the message's next piece if there is room. It is the last one when `done` reaches `size`.
bool ShmLine::send_piece(ShmMessage *message) {
  if (!has_cell()) return false;
  const size_t left = message->size - message->done;
  const bool in_slot = left > kShmInline;
  if (in_slot && !has_slot()) return false;
  const size_t length = in_slot ? std::min(left, kShmSlotBytes) : left;
  uint8_t *to = in_slot ? out_->slots[slots_sent_ % kShmSlots] : next_cell().data;
  if (length != 0) memcpy(to, message->data + message->done, length);
  if (in_slot) ++slots_sent_;
  message->done += length;
  const bool last = message->done == message->size;
  publish(static_cast<uint32_t>(length) | (in_slot ? kShmInSlot : 0) | (last ? kShmLast : 0));
  return true;
}

// Takes the next piece if it has come.
bool ShmLine::receive_piece(ShmMessage *message, bool *last) {
  const ShmCell &cell = in_->cells[received_ % kShmCells];
  const uint64_t head = load(&cell.head);
  if (static_cast<uint32_t>(head) != received_ + 1) return false;
  const auto kind = static_cast<uint32_t>(head >> 32);
  const bool in_slot = (kind & kShmInSlot) != 0;
  const uint8_t *from = in_slot ? in_->slots[slots_received_ % kShmSlots] : cell.data;
  const size_t length = std::min<size_t>(kind & kShmLength, in_slot ? kShmSlotBytes : kShmInline);
  const size_t fits = std::min(length, message->size - message->done);
  if (fits != 0) memcpy(message->data + message->done, from, fits);
  if (fits != length) too_long_ = true;
  message->done += fits;
  if (in_slot) empty_slot();
  empty_cell();
  *last = (kind & kShmLast) != 0;
  return true;
}

void ShmLine::progress() {
  while (!sends_.empty() && send_piece(&sends_.front())) {
    if (sends_.front().done == sends_.front().size) sends_.pop();
  }
  bool last;
  while (!receives_.empty() && receive_piece(&receives_.front(), &last)) {
    if (last) receives_.pop();
  }
}

// Until the queue is empty. Both are served, or two ranks that send first would wait for each other.
int32_t ShmLine::wait(const ShmQueue &queue, const Context *context) {
  for (ShmSpin spin; !broken_; spin()) {
    progress();
    if (queue.empty()) {
      const bool too_long = too_long_;
      too_long_ = false;
      return too_long ? kTooLong : 0;
    }
    if (__builtin_expect(is_cancelled(context), 0)) return give_up();
  }
  return kBroken;
}

// What is under way can't be completed any more, and its buffers may soon be gone.
int32_t ShmLine::give_up() {
  forget();
  return kOperationCancelled;
}

void ShmLine::forget() {
  if (!sends_.empty() || !receives_.empty()) broken_ = true;
  sends_.clear();
  receives_.clear();
}

int32_t ShmLine::start_send(const uint8_t *data, size_t size) {
  if (broken_) return kBroken;
  ShmMessage message = {const_cast<uint8_t *>(data), size, 0};
  if (sends_.empty()) {
    while (send_piece(&message)) {
      if (message.done == message.size) return 0;
    }
  }
  sends_.push(message.data + message.done, message.size - message.done);
  return 0;
}

int32_t ShmLine::start_receive(uint8_t *data, size_t size) {
  if (broken_) return kBroken;
  receives_.push(data, size);
  return 0;
}

int32_t ShmLine::complete_sends(const Context *context) { return wait(sends_, context); }
int32_t ShmLine::complete_receives(const Context *context) { return wait(receives_, context); }

int32_t ShmLine::send_later(const uint8_t *data, size_t size, const Context *context) {
  const int32_t code = start_send(data, size);
  return code != 0 ? code : wait(sends_, context);
}

int32_t ShmLine::receive_later(uint8_t *data, size_t size, const Context *context) {
  const int32_t code = start_receive(data, size);
  return code != 0 ? code : wait(receives_, context);
}

}  // namespace fabricbench
