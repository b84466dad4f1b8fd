// Ways to the other side, as JavaScript gives them (NativePath of src/verbs/native-types.ts).
#pragma once

#include <infiniband/verbs.h>

#include <string>

#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

ibv_ah_attr path_attributes(const Napi::Object &path);

// What most likely helps where a path was refused with an errno.
std::string path_mend(const ibv_ah_attr &path, int code);

}  // namespace fabricbench::verbs
