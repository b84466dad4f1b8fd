// MPI_Status as a JavaScript object, made by the class that JavaScript registers (src/mpi/status.ts).
#pragma once

#include "mpi_api.hpp"

namespace fabricbench::mpi {

Napi::Value make_status(Napi::Env env, const MPI_Status &status);

// Exports statusCount(bytes, datatype), statusCancelled(bytes) and the registration of the class.
void define_status(Napi::Env env, Napi::Object exports);
void forget_status_class();

}  // namespace fabricbench::mpi
