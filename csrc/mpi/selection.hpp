// What MPI selected for one-sided communication is known of each window alone, and noted when it is created.
#pragma once

#include "mpi_api.hpp"

namespace fabricbench::mpi {

void note_one_sided(MPI_Win win);

}  // namespace fabricbench::mpi
