// The pattern that validation writes and checks: it depends on sender, iteration, slot and byte position.
//
// Eight bytes at position 8k come from the k-th step of a Weyl sequence that begins at a hash of sender, iteration and
// slot, mixed once more so that neighbouring beginnings look unrelated. Two bits of every byte are not random: bit 0 is
// the iteration's parity, so that data of the iteration before differ in every byte, and bit 1 is the sender's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fabricbench {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are written as they lie in memory");

class Pattern {
 public:
  Pattern(uint64_t sender, uint64_t iteration, uint64_t slot)
      : seed_(mix(mix(mix(sender + kStep) + iteration) + slot)),
        parity_(kLowBits * ((iteration & 1) | (sender & 1) << 1)) {}

  // Bytes 8k to 8k+7, the first in the lowest bits.
  uint64_t word(uint64_t k) const {
    uint64_t value = seed_ + k * kStep;
    value = (value ^ (value >> 32)) * kSpread;
    value ^= value >> 29;
    return (value & ~(kLowBits * 3)) | parity_;
  }

  uint8_t byte(uint64_t position) const { return static_cast<uint8_t>(word(position / 8) >> (position % 8 * 8)); }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;     // 2^64 / golden ratio, odd
  static constexpr uint64_t kLowBits = 0x0101010101010101;  // bit 0 of every byte

  static constexpr uint64_t kSpread = 0xd6e8feb86659fd93;  // odd, half of its bits set

  // A bijection in which every bit depends on every other.
  static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

  uint64_t seed_;
  uint64_t parity_;
};

// What checks found so far.
struct CheckResult {
  uint64_t checked = 0;                // bytes
  uint64_t errors = 0;                 // wrong bytes
  uint64_t iteration = 0, offset = 0;  // of the first wrong byte, with what it should be and is
  uint8_t expected = 0, got = 0;
};

// Writes the pattern's bytes from `position` on.
inline void fill_pattern(const Pattern &pattern, uint8_t *data, size_t length, uint64_t position) {
  size_t i = 0;
  for (; i < length && (position + i) % 8 != 0; ++i) data[i] = pattern.byte(position + i);
  uint64_t k = (position + i) / 8;
  for (; i + 8 <= length; i += 8) {
    const uint64_t word = pattern.word(k++);
    memcpy(data + i, &word, 8);
  }
  for (; i < length; ++i) data[i] = pattern.byte(position + i);
}

// Counts a wrong byte, and keeps the first.
inline void note_wrong_byte(uint8_t expected, uint8_t got, uint64_t offset, uint64_t iteration, CheckResult *result) {
  if (result->errors++ != 0) return;
  result->iteration = iteration;
  result->offset = offset;
  result->expected = expected;
  result->got = got;
}

inline void check_bytes(const Pattern &pattern, const uint8_t *data, size_t length, uint64_t position,
                        uint64_t iteration, CheckResult *result) {
  for (size_t i = 0; i < length; ++i) {
    const uint8_t expected = pattern.byte(position + i);
    if (data[i] != expected) note_wrong_byte(expected, data[i], position + i, iteration, result);
  }
}

// Compares `length` bytes with the pattern's from `position` on; counts every wrong byte and keeps the first.
inline void check_pattern(const Pattern &pattern, const uint8_t *data, size_t length, uint64_t position,
                          uint64_t iteration, CheckResult *result) {
  constexpr size_t kBlock = 512;  // compared without a branch; looked at byte by byte where it differs
  result->checked += length;
  size_t i = 0;
  while (i < length && (position + i) % 8 != 0) ++i;
  check_bytes(pattern, data, i, position, iteration, result);
  for (; i + kBlock <= length; i += kBlock) {
    const uint64_t first = (position + i) / 8;
    uint64_t difference = 0;
    for (size_t k = 0; k < kBlock / 8; ++k) {
      uint64_t word;
      memcpy(&word, data + i + k * 8, 8);
      difference |= word ^ pattern.word(first + k);
    }
    if (difference != 0) check_bytes(pattern, data + i, kBlock, position + i, iteration, result);
  }
  for (; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, data + i, 8);
    if (word != pattern.word((position + i) / 8)) check_bytes(pattern, data + i, 8, position + i, iteration, result);
  }
  check_bytes(pattern, data + i, length - i, position + i, iteration, result);
}

}  // namespace fabricbench
