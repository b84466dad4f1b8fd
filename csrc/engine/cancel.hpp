// Ends whatever executes in this process, from any native thread.
#pragma once

#include <string>

#include "engine/operation.hpp"

namespace fabricbench {

// The process's word: runs on the JavaScript thread point to it, and operations that are called from JavaScript.
const CancelWord &cancel_word();

// Cancels every run that executes now or starts later, until `clear_cancel`. Their errors say `reason`; the first one
// stays.
void cancel_runs(const std::string &reason);
void clear_cancel();

// A word of several threads' own, which is set when the process's is. Bit 0 is for its owner.
class CancelMember {
 public:
  CancelMember();
  ~CancelMember();
  CancelMember(const CancelMember &) = delete;
  CancelMember &operator=(const CancelMember &) = delete;

  const uint32_t *word() const { return &word_; }
  void cancel() { __atomic_or_fetch(&word_, kOwn, __ATOMIC_RELAXED); }
  // The process's share of the word.
  void set_all(bool cancelled);

 private:
  static constexpr uint32_t kOwn = 1, kAll = 2;
  uint32_t word_ = 0;
};

}  // namespace fabricbench
