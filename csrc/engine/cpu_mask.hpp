// A set of processors, larger than the C library's fixed one of 1024.
#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace fabricbench {

class CpuMask {
 public:
  static constexpr size_t kLimit = 8192;  // more processors than Linux can be built for

  CpuMask() : sets_(kLimit / CPU_SETSIZE) {}

  // Empty where the thread has ended.
  static CpuMask of_thread(pid_t thread) {
    CpuMask mask;
    if (sched_getaffinity(thread, mask.bytes(), mask.data()) != 0) mask = CpuMask();
    return mask;
  }

  void add(size_t cpu) {
    if (cpu < kLimit) CPU_SET_S(cpu, bytes(), data());
  }
  bool has(size_t cpu) const { return CPU_ISSET_S(cpu, bytes(), sets_.data()) != 0; }
  size_t bytes() const { return sets_.size() * sizeof(cpu_set_t); }
  cpu_set_t *data() { return sets_.data(); }

 private:
  std::vector<cpu_set_t> sets_;
};

}  // namespace fabricbench
