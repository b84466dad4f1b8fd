// Preloaded into ranks of MPICH that share cores. MPICH never gives its core away while it waits, so that each message
// takes the scheduler's time slices, some 10 ms; Open MPI yields where it has more ranks than cores. Sleeping, which
// takes 50 us, serves better than yielding where others compute on the same cores.
#include <dlfcn.h>
#include <time.h>

// Takes the place of UCX's function in calls from MPICH, which calls it again and again while it waits.
extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker) {
  using Progress = unsigned (*)(void *worker);
  static void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  static const auto progress = reinterpret_cast<Progress>(dlsym(ucp, "ucp_worker_progress"));
  const unsigned events = progress(worker);
  if (events == 0) {
    const timespec pause = {0, 1000};
    nanosleep(&pause, nullptr);
  }
  return events;
}
