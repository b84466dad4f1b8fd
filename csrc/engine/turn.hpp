// Which of n places an iteration takes, without a division where iterations follow one another.
#pragma once

#include <cstdint>

namespace fabricbench {

class Turn {
 public:
  explicit Turn(uint64_t places) : places_(places) {}

  // iteration % places
  uint64_t of(uint64_t iteration) {
    if (__builtin_expect(iteration != next_, 0)) place_ = iteration % places_;
    const uint64_t place = place_;
    next_ = iteration + 1;
    place_ = place + 1 == places_ ? 0 : place + 1;
    return place;
  }

 private:
  uint64_t places_;
  uint64_t next_ = 0;   // the iteration that is expected
  uint64_t place_ = 0;  // and its place
};

}  // namespace fabricbench
