// What a channel keeps messages in.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace fabricbench::verbs {

// Items by a number that only grows, and wraps.
template <class T>
class Ring {
 public:
  T &operator[](uint32_t number) { return items_[number & mask_]; }
  // Makes a place for the item `end`, where those from `begin` on are still needed.
  void make_room(uint32_t begin, uint32_t end) {
    if (__builtin_expect(end - begin > mask_, 0)) grow(begin, end);
  }

 private:
  __attribute__((noinline, cold)) void grow(uint32_t begin, uint32_t end) {
    const uint32_t mask = 2 * mask_ + 1;
    auto items = std::make_unique<T[]>(mask + 1);
    for (uint32_t i = begin; i != end; ++i) items[i & mask] = items_[i & mask_];
    items_ = std::move(items);
    mask_ = mask;
  }
  uint32_t mask_ = 255;
  std::unique_ptr<T[]> items_ = std::make_unique<T[]>(256);
};

// A message that came before its receive, or the announcement of one.
struct EarlyMessage {
  EarlyMessage *next;
  uint32_t number;
  uint32_t size;
  bool announced;  // without its data
  char *data() { return reinterpret_cast<char *>(this + 1); }
};

// Early messages in the order of their numbers. Places are used again.
class Early {
 public:
  Early() = default;
  Early(const Early &) = delete;
  ~Early() {
    for (EarlyMessage *list : {first_, spare_}) {
      while (list != nullptr) free(std::exchange(list, list->next));
    }
  }
  // The message of that number, or null.
  EarlyMessage *find(uint32_t number) const { return first_ != nullptr && first_->number == number ? first_ : nullptr; }
  void add(uint32_t number, uint32_t size, const char *data);
  void drop_first() {
    EarlyMessage *gone = std::exchange(first_, first_->next);
    if (first_ == nullptr) last_ = nullptr;
    gone->next = spare_;
    spare_ = gone;
  }

 private:
  void insert(EarlyMessage *place);
  EarlyMessage *first_ = nullptr, *last_ = nullptr, *spare_ = nullptr;
};

}  // namespace fabricbench::verbs
