#include "startup.hpp"

#include <dlfcn.h>

#include "engine/ucx_memory.hpp"

namespace fabricbench::mpi {
namespace {

// Node loads addons with local symbols, and Open MPI's components look for those of libmpi among the global ones.
void make_symbols_global() {
  Dl_info where = {};
  if (!dladdr(reinterpret_cast<void *>(&MPI_Init), &where) || !where.dli_fname) return;
  dlopen(where.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

}  // namespace

void require_startable(Napi::Env env, const char *call, bool finalized) {
  if (finalized || is_over()) {
    throw Napi::Error::New(env,
                           std::string(call) + ": MPI has been finalized, and can't be started again in this process");
  }
  make_symbols_global();
#if !defined(OPEN_MPI)
  keep_freed_memory();  // Open MPI's own hooks see all
#endif
}

}  // namespace fabricbench::mpi
