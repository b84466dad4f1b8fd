// hwloc 2.9 believes its input: a file cut off in the middle, or with one wrong set of processors, crashes it. So a
// child tries first what does not come from this machine.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "topology/read.hpp"

namespace fabricbench::topology {
namespace {

constexpr unsigned kMostSeconds = 10;
constexpr rlim_t kMostBytes = rlim_t{1} << 30;

// Bytes of address space that this process has.
rlim_t address_space() {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t value) {
  rlimit limits{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) return;
  limits.rlim_cur = value < limits.rlim_max ? value : limits.rlim_max;
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

// The child may crash, and nobody is to notice: no core file, no word, none of Node's handlers.
void prepare_child() {
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGTERM}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  const rlim_t now = address_space();
  if (now > 0) limit(RLIMIT_AS, now + kMostBytes);
  const int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (silence >= 0) {
    dup2(silence, STDOUT_FILENO);
    dup2(silence, STDERR_FILENO);
  }
  alarm(kMostSeconds);
}

// Whether a child could read it. `failure` is set where none could be made.
bool child_can_read(const Request &request, Failure *failure) {
  const pid_t child = fork();
  if (child < 0) {
    *failure = {"fork", errno};
    return false;
  }
  if (child == 0) {
    prepare_child();
    Topology topology;
    _exit(read(request, &topology).step == nullptr ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) {
      *failure = {"fork", errno};
      return false;
    }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Failure read_carefully(const Request &request, Topology *topology) {
  if (request.of_machine()) return read(request, topology);
  Failure failure;
  if (child_can_read(request, &failure)) return read(request, topology);
  return failure.step != nullptr ? failure : Failure{"source", EINVAL};
}

}  // namespace fabricbench::topology
