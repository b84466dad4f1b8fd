// Work for the processor alone, of a fixed amount: what disturbs it makes it last longer.
#include <napi.h>

#include <algorithm>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/own_operations.hpp"

namespace fabricbench {
namespace {

// Does so many units of work. A unit is a multiplication and an addition which need the result of the unit before: some
// 4 cycles, whatever else the processor finds to do. The empty assembler statement keeps the compiler from leaving
// units out or merging them.
__attribute__((noinline)) void work(uint64_t units) {
  uint64_t value = units;
  for (; units != 0; --units) {
    value = value * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
    __asm__ __volatile__("" : "+r"(value));
  }
}

// Lets nothing begin before the work is done. A processor would run up to 100 ns of it beside the calls that follow,
// and short work would seem to cost nothing.
inline void finish_work() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
}

// Units per second: of many short runs the fastest, which neither the scheduler nor a neighbour has disturbed.
double measure_rate() {
  constexpr int kRuns = 200;
  constexpr uint64_t kUnits = 1 << 14;  // some 20 us, far more than a read of the clock takes
  uint64_t fastest = UINT64_MAX;
  for (int run = 0; run < kRuns; ++run) {
    const uint64_t start = fb_ticks();
    work(kUnits);
    finish_work();
    fastest = std::min(fastest, fb_ticks() - start);
  }
  return static_cast<double>(kUnits) / fb_seconds(fastest);
}

// calibrateCompute(): units per second, measured once per process
Napi::Value calibrate(const Napi::CallbackInfo &info) {
  static double rate = 0;
  fb_clock_calibrate();
  if (rate == 0) rate = measure_rate();
  return Napi::Number::New(info.Env(), rate);
}

struct Compute : Operation {
  uint64_t units;
};

int32_t execute_compute(Operation *self, Context *context) {
  constexpr uint64_t kPiece = 1 << 17;  // some 0.2 ms between two looks whether the run is to end
  uint64_t left = static_cast<Compute *>(self)->units;
  for (; left > kPiece; left -= kPiece) {
    work(kPiece);
    if (is_cancelled(context)) return kOperationCancelled;
  }
  work(left);
  finish_work();
  return 0;
}

// compute(units)
Napi::Value compute(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Compute>("compute", execute_compute);
  operation->units = integer(info[0]);
  return wrap_operation(info.Env(), operation, {});
}

}  // namespace

void export_compute(Napi::Env env, Napi::Object exports) {
  exports.Set("calibrateCompute", Napi::Function::New(env, calibrate));
  exports.Set("compute", Napi::Function::New(env, compute));
}

}  // namespace fabricbench
