// What the kernel lets this process run on.
#pragma once

#include <hwloc.h>

namespace fabricbench::topology {

// Takes out of a set the processors that the kernel forbids to this process, whatever its threads are bound to now.
// hwloc looks for the cgroup's files, which a container need not show. Leaves the set as it is where that can't be
// told.
void keep_permitted(hwloc_bitmap_t set);

}  // namespace fabricbench::topology
