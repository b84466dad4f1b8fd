// Work for the processor alone, of a fixed amount: what disturbs it makes it last longer.
#include <napi.h>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/own_operations.hpp"
#include "engine/work.h"

namespace fabricbench {
namespace {

// calibrateCompute(): units per second, measured once per process
Napi::Value calibrate(const Napi::CallbackInfo &info) {
  static double rate = 0;
  fb_clock_calibrate();
  if (rate == 0) rate = fb_work_rate();
  return Napi::Number::New(info.Env(), rate);
}

struct Compute : Operation {
  uint64_t units;
};

int32_t execute_compute(Operation *self, Context *context) {
  constexpr uint64_t kPiece = 1 << 17;  // some 0.2 ms between two looks whether the run is to end
  uint64_t left = static_cast<Compute *>(self)->units;
  for (; left > kPiece; left -= kPiece) {
    fb_work(kPiece);
    if (is_cancelled(context)) return kOperationCancelled;
  }
  fb_work(left);
  fb_finish_work();
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
