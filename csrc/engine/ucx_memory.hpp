// What UCX's memory hooks need in a process of Node: for every addon that loads UCX, directly or below MPI. Header
// only.
#pragma once

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#pragma GCC visibility push(hidden)

namespace fabricbench {

// Has free() keep memory for the next malloc() instead of unmapping it, where UCX would not hear of that. With its
// hooks in relocation tables (src/engine/load.ts sets them so) UCX sees who calls munmap from outside of libc, but not
// libc's own calls, and would take new memory at an old address for what it has registered with a network card.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  const char *mode = std::getenv("UCX_MEM_MMAP_HOOK_MODE");
  if (!mode || std::strcmp(mode, "reloc") != 0) return;
  void *ucm = dlopen("libucm.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (!ucm) return;
  dlclose(ucm);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

// Has UCX look up libc's own memory functions now. It does so at the first use of each, by dlsym, which allocates: on a
// thread of V8 that has allocated nothing yet malloc unmaps memory for its new arena, UCX's hook sees that, and waits
// for the lock of the registration cache that the thread holds already. (Seen once in 55 jobs of 32 ranks, UCX 1.13.)
inline void settle_ucx_hooks() {
  using Map = void *(*)(void *, size_t, int, int, int, off_t);
  using Unmap = int (*)(void *, size_t);
  using Advise = int (*)(void *, size_t, int);
  void *ucm = dlopen("libucm.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (!ucm) return;
  const auto map = reinterpret_cast<Map>(dlsym(ucm, "ucm_orig_mmap"));
  const auto unmap = reinterpret_cast<Unmap>(dlsym(ucm, "ucm_orig_munmap"));
  const auto advise = reinterpret_cast<Advise>(dlsym(ucm, "ucm_orig_madvise"));
  constexpr size_t kPage = 4096;
  void *page = map && unmap ? map(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  if (page != MAP_FAILED) {
    if (advise) advise(page, kPage, MADV_NORMAL);
    unmap(page, kPage);
  }
  dlclose(ucm);
}

}  // namespace fabricbench

#pragma GCC visibility pop
