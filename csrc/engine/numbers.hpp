// The numbers that reductions add up, and their sums: exact for every type and any number of senders.
//
// A sender's number for an element is a part of the sender's own plus a part of the element's, which depends on the
// iteration and the slot. The sum over senders then has a closed form: the sum of their own parts plus so many times
// the element's. Small types can't hold a sum over many senders, so there only some of them contribute to an element
// and the others send 0; who they are moves on from element to element and from iteration to iteration.
//
// What this guarantees in every element: the number of a sender that contributes is not 0, so a missing one is seen;
// the contributors' own parts differ, so one that came twice in another's place is seen (where not all contribute,
// those on both sides of the last rank may be alike); and sums of the iteration before, or of the slot beside, are
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "engine/pattern.hpp"

namespace fabricbench {

// The largest number up to which a type holds every whole one.
template <typename T>
constexpr uint64_t exact_limit() {
  if constexpr (std::is_floating_point_v<T>) return uint64_t{1} << std::numeric_limits<T>::digits;
  return static_cast<uint64_t>(std::numeric_limits<T>::max());
}

// How numbers are made up for one type and number of senders.
class Numbers {
 public:
  // `limit` is what a sum must not exceed.
  Numbers(uint64_t limit, uint64_t senders) : senders_(senders), contributors_(contributors(limit, senders)) {
    const uint64_t most = limit / contributors_;  // of one number
    const unsigned own_bits = contributors_ < senders ? log2(contributors_) : dense_bits(most);
    own_mask_ = (uint64_t{1} << own_bits) - 1;
    // The low two bits of the element's part are set otherwise.
    element_mask_ = ((uint64_t{1} << log2(most - own_mask_)) - 1) & ~uint64_t{3};
  }

  // Before the first own_sum.
  void add_up() {
    own_sums_.assign(senders_ + 1, 0);
    for (uint64_t sender = 0; sender < senders_; ++sender) own_sums_[sender + 1] = own_sums_[sender] + own(sender);
  }

  uint64_t senders() const { return senders_; }
  uint64_t contributors() const { return contributors_; }

  // The sender's own part, at least 1.
  uint64_t own(uint64_t sender) const { return 1 + ((sender + 1) * 0x9e3779b97f4a7c15 & own_mask_); }

  // The sum of the own parts of the contributors from `first` on, around the end.
  uint64_t own_sum(uint64_t first) const {
    const uint64_t end = first + contributors_;
    if (end <= senders_) return own_sums_[end] - own_sums_[first];
    return own_sums_[senders_] - own_sums_[first] + own_sums_[end - senders_];
  }

  // The first contributor to an element.
  uint64_t first_contributor(uint64_t element, uint64_t iteration) const {
    return (element % senders_ * contributors_ + iteration % senders_) % senders_;
  }
  // Of the element after the one whose first contributor this is.
  uint64_t next_contributor(uint64_t first) const {
    const uint64_t next = first + contributors_;
    return next < senders_ ? next : next - senders_;
  }
  bool contributes(uint64_t sender, uint64_t first) const {
    return (sender >= first ? sender - first : sender + senders_ - first) < contributors_;
  }

  // The element's part, from 64 bits of a pattern; `odd` is 0 or 1 and tells iterations and slots that follow one
  // another.
  uint64_t of_element(uint64_t bits, uint64_t element, uint64_t odd) const {
    return (bits & element_mask_) | (element & 1) << 1 | odd;
  }

 private:
  static constexpr unsigned log2(uint64_t value) { return 63 - static_cast<unsigned>(__builtin_clzll(value)); }

  // All senders, or the largest power of two c for which c numbers of up to 2c - 1 stay within the limit: c values for
  // the own part, and as many at least for the element's.
  static uint64_t contributors(uint64_t limit, uint64_t senders) {
    uint64_t most = 1;
    while (2 * most * (4 * most - 1) <= limit && most < uint64_t{1} << 30) most *= 2;
    return senders < most ? senders : most;
  }

  // Where all contribute: enough bits to tell all of them, and else a quarter of the numbers there are.
  unsigned dense_bits(uint64_t most) const {
    const unsigned enough = senders_ == 1 ? 0 : log2(senders_ - 1) + 1;
    const unsigned quarter = log2(most) - 1;
    return enough > quarter ? enough : quarter;
  }

  uint64_t senders_, contributors_;
  uint64_t own_mask_ = 0, element_mask_ = 0;
  std::vector<uint64_t> own_sums_;  // of the senders before each
};

// Which numbers: those of one operation in one iteration.
struct NumberPlace {
  uint64_t first;  // element of the vector
  uint64_t count;
  uint64_t iteration, slot;
};

// Calls `visit(index, first contributor, element's part)` for `count` elements of type T; index counts from 0.
template <typename T, typename Visit>
inline __attribute__((always_inline)) void each_number(const Numbers &numbers, const NumberPlace &place, Visit visit) {
  const Pattern pattern(0, place.iteration, place.slot);
  const uint64_t odd = (place.iteration ^ place.slot) & 1;
  uint64_t contributor = numbers.first_contributor(place.first, place.iteration);
  uint64_t word = 0;
  for (uint64_t i = 0; i < place.count; ++i) {
    const uint64_t element = place.first + i;
    const uint64_t at = element * sizeof(T);  // the bits are those that the pattern has at the element's place
    if (i == 0 || at % 8 == 0) word = pattern.word(at / 8);
    visit(i, contributor, numbers.of_element(word >> (at % 8 * 8), element, odd));
    contributor = numbers.next_contributor(contributor);
  }
}

// Writes a sender's numbers.
template <typename T>
void fill_numbers(const Numbers &numbers, uint64_t sender, const NumberPlace &place, uint8_t *data) {
  const uint64_t own = numbers.own(sender);
  each_number<T>(numbers, place, [&](uint64_t index, uint64_t contributor, uint64_t part) {
    const T number = static_cast<T>(numbers.contributes(sender, contributor) ? static_cast<int64_t>(own + part) : 0);
    memcpy(data + index * sizeof(T), &number, sizeof(T));
  });
}

// Compares one element byte by byte; `offset` is its place in the vector, in bytes.
template <typename T>
inline __attribute__((always_inline)) void check_number(T expected, const uint8_t *data, uint64_t offset,
                                                        uint64_t iteration, CheckResult *result) {
  if (__builtin_expect(memcmp(data, &expected, sizeof(T)) == 0, 1)) return;
  uint8_t bytes[sizeof(T)];
  memcpy(bytes, &expected, sizeof(T));
  for (size_t i = 0; i < sizeof(T); ++i) {
    if (bytes[i] != data[i]) note_wrong_byte(bytes[i], data[i], offset + i, iteration, result);
  }
}

// Compares with a sender's numbers.
template <typename T>
void check_numbers(const Numbers &numbers, uint64_t sender, const NumberPlace &place, const uint8_t *data,
                   CheckResult *result) {
  const uint64_t own = numbers.own(sender);
  result->checked += place.count * sizeof(T);
  each_number<T>(numbers, place, [&](uint64_t index, uint64_t contributor, uint64_t part) {
    const T number = static_cast<T>(numbers.contributes(sender, contributor) ? static_cast<int64_t>(own + part) : 0);
    check_number(number, data + index * sizeof(T), (place.first + index) * sizeof(T), place.iteration, result);
  });
}

// Compares with the sums over all senders.
template <typename T>
void check_sums(const Numbers &numbers, const NumberPlace &place, const uint8_t *data, CheckResult *result) {
  result->checked += place.count * sizeof(T);
  each_number<T>(numbers, place, [&](uint64_t index, uint64_t contributor, uint64_t part) {
    const uint64_t sum = numbers.own_sum(contributor) + numbers.contributors() * part;
    check_number(static_cast<T>(static_cast<int64_t>(sum)), data + index * sizeof(T), (place.first + index) * sizeof(T),
                 place.iteration, result);
  });
}

}  // namespace fabricbench
