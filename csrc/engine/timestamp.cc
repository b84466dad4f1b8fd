// Moments of a run, on a clock that all processes of a node can share.
#include <napi.h>

#include <string>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/own_operations.hpp"
#include "engine/turn.hpp"

namespace fabricbench {
namespace {

struct Timestamp : Operation {
  double *seconds;  // where the moments go
  uint64_t base;    // ticks of second 0
  double period;    // seconds per tick
  Turn turn{1};     // among the places of the array
  uint64_t first;   // iteration since the reset
  bool started;     // first is known
};

int32_t execute_timestamp(Operation *self, Context *context) {
  const uint64_t now = fb_ticks();
  auto *stamp = static_cast<Timestamp *>(self);
  if (__builtin_expect(!stamp->started, 0)) {
    stamp->started = true;
    stamp->first = context->iteration;
  }
  const uint64_t place = stamp->turn.of(context->iteration - stamp->first);
  stamp->seconds[place] = static_cast<double>(static_cast<int64_t>(now - stamp->base)) * stamp->period;
  return 0;
}

// timestamp(array: Float64Array, the base's ticks, its frequency)
Napi::Value timestamp(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the array of timestamps");
  auto *operation = new_operation<Timestamp>("timestamp", execute_timestamp);
  operation->reset = [](Operation *self) { static_cast<Timestamp *>(self)->started = false; };
  operation->seconds = static_cast<double *>(bytes.data);
  operation->base = static_cast<uint64_t>(info[1].As<Napi::Number>().DoubleValue());
  operation->period = 1 / info[2].As<Napi::Number>().DoubleValue();
  operation->turn = Turn(bytes.byte_length / sizeof(double));
  operation->started = false;
  return wrap_operation(info.Env(), operation, {info[0]});
}

// clockTicks(): the clock as a number, which from 2^53 on is the nearest that JavaScript can hold
Napi::Value clock_ticks(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(fb_ticks()));
}

}  // namespace

void export_timestamp(Napi::Env env, Napi::Object exports) {
  exports.Set("timestamp", Napi::Function::New(env, timestamp));
  exports.Set("clockTicks", Napi::Function::New(env, clock_ticks));
}

}  // namespace fabricbench
