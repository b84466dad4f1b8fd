// The clock as JavaScript sees it.
#include <napi.h>

#include <algorithm>
#include <vector>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/operation_js.hpp"

namespace fabricbench {
namespace {

// What `stamp` read last, in seconds since the anchor. JavaScript reads it through a Float64Array: returning a number
// would allocate one.
double stamped_seconds = 0;

// stamp(): the hot read of the clock
napi_value stamp(napi_env, napi_callback_info) {
  stamped_seconds = fb_seconds(fb_ticks() - fb_clock.anchor_ticks);
  return nullptr;
}

// calibrateClock(): makes stamp's seconds true; spins for what is missing of the baseline
void calibrate(const Napi::CallbackInfo &) { fb_clock_calibrate(); }

// Smallest step between two reads that differ, in ticks.
uint64_t smallest_step() {
  uint64_t smallest = UINT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t first = fb_ticks();
    uint64_t second = fb_ticks();
    while (second == first) second = fb_ticks();
    smallest = std::min(smallest, second - first);
  }
  return smallest;
}

// Median cost of one read over batches of reads, in ticks.
double read_cost() {
  constexpr int kBatches = 21, kReads = 500;
  std::vector<uint64_t> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    const uint64_t start = fb_ticks();
    uint64_t last = start;
    for (int i = 0; i < kReads; ++i) last = fb_ticks();
    batches.push_back(last - start);
  }
  std::nth_element(batches.begin(), batches.begin() + kBatches / 2, batches.end());
  return static_cast<double>(batches[kBatches / 2]) / kReads;
}

// clockInfo(): see ClockInfo in src/engine/types.ts
Napi::Value clock_info(const Napi::CallbackInfo &info) {
  static const char *const kSources[] = {"clock_gettime", "tsc", "cntvct"};
  fb_clock_calibrate();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("source", kSources[fb_clock.source]);
  result.Set("frequency", fb_clock.frequency);
  result.Set("resolution", fb_seconds(smallest_step()));
  result.Set("readCost", read_cost() * fb_clock.period);
  return result;
}

napi_value shared_memory(Napi::Env env, void *data, size_t length) {
  napi_value array_buffer;
  check_status(env, napi_create_external_arraybuffer(env, data, length, nullptr, nullptr, &array_buffer));
  return array_buffer;
}

}  // namespace

void export_clock(Napi::Env env, Napi::Object exports) {
  fb_clock_start();
  napi_value function;
  check_status(env, napi_create_function(env, "stamp", NAPI_AUTO_LENGTH, stamp, nullptr, &function));
  exports.Set("stamp", function);
  exports.Set("stamped", shared_memory(env, &stamped_seconds, sizeof stamped_seconds));
  // The iteration that operations called from JavaScript see: JavaScript counts it without a call.
  exports.Set("callIteration", shared_memory(env, &detail::call_context.iteration, sizeof(uint64_t)));
  exports.Set("calibrateClock", Napi::Function::New(env, calibrate));
  exports.Set("clockInfo", Napi::Function::New(env, clock_info));
}

}  // namespace fabricbench
