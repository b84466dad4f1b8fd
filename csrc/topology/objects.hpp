// hwloc's objects as plain data.
#pragma once

#include <hwloc.h>

#include <string>
#include <utility>
#include <vector>

#include "topology/read.hpp"

namespace fabricbench::topology {

// As the kernel lists processors: 0-3,8. Empty for no set, and for one without end.
std::string list_of(hwloc_const_bitmap_t set);

std::vector<std::pair<std::string, std::string>> infos_of(const hwloc_info_s *infos, unsigned count);

// All objects of a loaded topology, parents first.
std::vector<Object> objects_of(hwloc_topology_t topology);

}  // namespace fabricbench::topology
