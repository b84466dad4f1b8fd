// Which processors a thread may run on. src/engine/affinity.ts goes through the threads and words the errors.
#include <errno.h>
#include <napi.h>
#include <sched.h>

#include "engine/addon.hpp"
#include "engine/cpu_mask.hpp"

namespace fabricbench {
namespace {

pid_t thread_id(const Napi::Value &value) { return static_cast<pid_t>(value.As<Napi::Number>().Int32Value()); }

// getAffinity(thread): processors, by number; thread 0 is the calling one. Empty for a thread that has ended.
Napi::Value get_affinity(const Napi::CallbackInfo &info) {
  const CpuMask mask = CpuMask::of_thread(thread_id(info[0]));
  Napi::Array result = Napi::Array::New(info.Env());
  for (size_t cpu = 0; cpu < CpuMask::kLimit; ++cpu) {
    if (mask.has(cpu)) result.Set(result.Length(), static_cast<double>(cpu));
  }
  return result;
}

// setAffinity(thread, processors): 0, or the errno of sched_setaffinity
Napi::Value set_affinity(const Napi::CallbackInfo &info) {
  CpuMask mask;
  const auto cpus = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < cpus.Length(); ++i) mask.add(cpus.Get(i).As<Napi::Number>().Uint32Value());
  const int result = sched_setaffinity(thread_id(info[0]), mask.bytes(), mask.data());
  return Napi::Number::New(info.Env(), result == 0 ? 0 : errno);
}

// currentCpu(): the processor that this thread runs on now
Napi::Value current_cpu(const Napi::CallbackInfo &info) { return Napi::Number::New(info.Env(), sched_getcpu()); }

}  // namespace

void export_affinity(Napi::Env env, Napi::Object exports) {
  exports.Set("getAffinity", Napi::Function::New(env, get_affinity));
  exports.Set("setAffinity", Napi::Function::New(env, set_affinity));
  exports.Set("currentCpu", Napi::Function::New(env, current_cpu));
}

}  // namespace fabricbench
