#include "verbs/memlock.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>

namespace fabricbench::verbs {
namespace {

constexpr uint64_t kKib = 1024;
constexpr int kCapIpcLock = 14;
constexpr const char *kRaise =
    "raise the limit with ulimit -l, in /etc/security/limits.conf (memlock), for services with LimitMEMLOCK (systemd: "
    "DefaultLimitMEMLOCK), under Slurm with PropagateResourceLimitsExcept=MEMLOCK as well";

// A field of /proc/self/status, or its default.
uint64_t status_field(const std::string &name, int base) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    return std::stoull(line.substr(name.size()), nullptr, base);
  }
  return 0;
}

bool is_limited(const rlimit &limit) {
  return limit.rlim_cur != RLIM_INFINITY && (status_field("CapEff:", 16) >> kCapIpcLock & 1) == 0;
}

// Whole pages, in KiB.
uint64_t pages_kib(size_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page / kKib;
}

std::string needed_text(uint64_t needed, uint64_t pinned) {
  if (needed == 0) return "it needs locked memory";
  std::string text = "it needs " + std::to_string(needed) + " KiB of locked memory";
  if (pinned > 0) text += " besides " + std::to_string(pinned) + " KiB that are locked already";
  return text;
}

}  // namespace

void raise_memlock() {
  rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_MEMLOCK, &limit);
}

void throw_for_want_of_memory(Napi::Env env, const char *call, int code, size_t bytes) {
  rlimit limit;
  if (code != ENOMEM || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || !is_limited(limit)) throw_errno(env, call, code);
  const uint64_t allowed = limit.rlim_cur / kKib, needed = pages_kib(bytes), pinned = status_field("VmPin:", 10);
  const std::string needs = needed_text(needed, pinned);
  const std::string allows = std::to_string(allowed) + " KiB";
  if (needed > 0 && needed + pinned <= allowed) {
    const std::string text =
        needs + ", which the limit of " + allows + " allows: the device or the system has none left";
    throw_errno(env, call, code, text.c_str());
  }
  throw_errno(env, call, code, (needs + ", and this process may lock " + allows + ": " + kRaise).c_str());
}

}  // namespace fabricbench::verbs
