#include "topology/permitted.hpp"

#include <sched.h>

#include <optional>
#include <system_error>
#include <thread>

#include "engine/cpu_mask.hpp"

namespace fabricbench::topology {
namespace {

// On a thread of its own, whose binding nobody misses: it asks for all processors and gets those that it may use.
std::optional<CpuMask> permitted() {
  std::optional<CpuMask> result;
  const auto ask = [&result] {
    CpuMask all;
    for (size_t cpu = 0; cpu < CpuMask::kLimit; ++cpu) all.add(cpu);
    if (sched_setaffinity(0, all.bytes(), all.data()) == 0) result = CpuMask::of_thread(0);
  };
  try {
    std::thread(ask).join();
  } catch (const std::system_error &) {  // no more threads
  }
  return result;
}

}  // namespace

void keep_permitted(hwloc_bitmap_t set) {
  const std::optional<CpuMask> mask = permitted();
  if (!mask) return;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
    if (!mask->has(static_cast<size_t>(cpu))) hwloc_bitmap_clr(set, static_cast<unsigned>(cpu));
}

}  // namespace fabricbench::topology
