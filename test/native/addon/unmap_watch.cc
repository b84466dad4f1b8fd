#include "unmap_watch.hpp"

#include <dlfcn.h>

#include <atomic>

namespace fabricbench {
namespace {

// Of ucm/api/ucm.h, which is in a package of its own.
constexpr int kVmUnmapped = 1 << 17;
constexpr int kDontInstallHooks = 1 << 24;
constexpr int kAfterAllOthers = 1000;

struct Unmapped {
  void *address;
  size_t size;
};
using Handler = void (*)(int event, const Unmapped *what, void *argument);
using SetHandler = int (*)(int events, int priority, Handler handler, void *argument);

std::atomic<uintptr_t> begin{0};
std::atomic<uintptr_t> end{0};
std::atomic<int> seen{0};

void hear(int, const Unmapped *what, void *) {
  const auto from = reinterpret_cast<uintptr_t>(what->address);
  if (from < end && begin < from + what->size) ++seen;
}

// Asks UCX to tell us too. It installs no hook for that: what it doesn't hear by those it has, we don't hear.
void listen(Napi::Env env) {
  static bool listening = false;
  if (listening) return;
  void *ucm = dlopen("libucm.so.0", RTLD_LAZY | RTLD_NOLOAD);
  const auto set = ucm ? reinterpret_cast<SetHandler>(dlsym(ucm, "ucm_set_event_handler")) : nullptr;
  if (!set || set(kVmUnmapped | kDontInstallHooks, kAfterAllOthers, hear, nullptr) != 0) {
    throw Napi::Error::New(env, "UCX is not there, or tells nothing of memory that is unmapped");
  }
  listening = true;
}

void watch(const Napi::CallbackInfo &info) {
  listen(info.Env());
  bool lossless = false;
  const uintptr_t address = info[0].As<Napi::BigInt>().Uint64Value(&lossless);
  begin = address;
  end = address + static_cast<size_t>(info[1].As<Napi::Number>().Int64Value());
  seen = 0;
}

Napi::Value count(const Napi::CallbackInfo &info) { return Napi::Number::New(info.Env(), seen); }

}  // namespace

void export_unmap_watch(Napi::Env env, Napi::Object exports) {
  exports.Set("watchUnmaps", Napi::Function::New(env, watch));
  exports.Set("unmapsSeen", Napi::Function::New(env, count));
}

}  // namespace fabricbench
