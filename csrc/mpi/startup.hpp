// What starting and ending the world and sessions have in common.
#pragma once

#include "mpi_api.hpp"

namespace fabricbench::mpi {

// Refuses to start MPI once all that lived has ended, or where `finalized` says so, in one sentence; and makes its
// symbols what they must be before it starts.
void require_startable(Napi::Env env, const char *call, bool finalized = false);

// Notes that a life has ended. Operations bound in it return `code` from now on; with the last life everything does,
// and lets go of its memory.
void leave(Life &life, int code);

}  // namespace fabricbench::mpi
