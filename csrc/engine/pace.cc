// Waits by the clock, so that what comes after them keeps to a rate.
#include <napi.h>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/own_operations.hpp"

namespace fabricbench {
namespace {

struct Pace : Operation {
  uint64_t interval;  // ticks from one burst to the next
  uint64_t every;     // executions of a burst
  uint64_t left;      // of this burst
  uint64_t next;      // ticks at which the next burst may begin
  bool started;
};

// A burst that comes late isn't made up for: what follows would be faster than the rate.
int32_t execute_pace(Operation *self, Context *context) {
  auto *pace = static_cast<Pace *>(self);
  if (pace->left != 0) {
    --pace->left;
    return 0;
  }
  uint64_t now = fb_ticks();
  while (pace->started && static_cast<int64_t>(now - pace->next) < 0) {
    if (is_cancelled(context)) return kOperationCancelled;
    give_way(context);
    now = fb_ticks();
  }
  pace->started = true;
  pace->next = now + pace->interval;
  pace->left = pace->every - 1;
  return 0;
}

void start_anew(Pace *pace) {
  pace->left = 0;
  pace->started = false;
}

// pace(seconds, every)
Napi::Value pace(const Napi::CallbackInfo &info) {
  fb_clock_calibrate();
  auto *operation = new_operation<Pace>("pace", execute_pace);
  operation->reset = [](Operation *self) { start_anew(static_cast<Pace *>(self)); };
  operation->interval = static_cast<uint64_t>(info[0].As<Napi::Number>().DoubleValue() * fb_clock.frequency);
  operation->every = integer(info[1]);
  start_anew(operation);
  return wrap_operation(info.Env(), operation, {});
}

}  // namespace

void export_pace(Napi::Env env, Napi::Object exports) { exports.Set("pace", Napi::Function::New(env, pace)); }

}  // namespace fabricbench
