// Process topologies: who a rank's neighbours are.
#pragma once

#include "arguments.hpp"

namespace fabricbench::mpi {

// How many neighbours a rank receives from, and sends to. One that is listed twice counts twice.
struct Degrees {
  int in = 0;
  int out = 0;
};

// This rank's; throws MPI_ERR_TOPOLOGY for a communicator without a topology.
Degrees degrees_of(const Arguments &a, MPI_Comm comm);

}  // namespace fabricbench::mpi
