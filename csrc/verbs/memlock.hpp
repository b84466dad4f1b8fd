// Locked memory, which registrations take and which is limited for all but root.
#pragma once

#include <cstddef>

#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

// Raises the soft limit of locked memory to the hard one.
void raise_memlock();

// Throws the error of a call that may have failed for want of locked memory: with ENOMEM it says how much is needed
// (`bytes`; 0: not known), how much is allowed and how to raise it.
[[noreturn]] void throw_for_want_of_memory(Napi::Env env, const char *call, int code, size_t bytes);

}  // namespace fabricbench::verbs
