// The watchdog as JavaScript sees it; src/engine/watchdog.ts checks the arguments.
#include <napi.h>

#include "engine/addon.hpp"
#include "engine/watchdog.hpp"

namespace fabricbench {

void export_watchdog(Napi::Env env, Napi::Object exports) {
  // watchdogStart(limit with grace, what the limit is called, rank)
  exports.Set("watchdogStart", Napi::Function::New(env, [](const Napi::CallbackInfo &info) {
                start_watchdog(info[0].As<Napi::Number>().DoubleValue(), info[1].As<Napi::String>().Utf8Value(),
                               info[2].As<Napi::Number>().Int32Value());
              }));
  exports.Set("watchdogContext", Napi::Function::New(env, [](const Napi::CallbackInfo &info) {
                set_watchdog_context(info[0].As<Napi::String>().Utf8Value());
              }));
  exports.Set("watchdogKick", Napi::Function::New(env, [](const Napi::CallbackInfo &) { kick_watchdog(); }));
  exports.Set("watchdogArm", Napi::Function::New(env, [](const Napi::CallbackInfo &info) {
                arm_watchdog(info[0].As<Napi::Boolean>().Value());
              }));
  exports.Set("watchdogStop", Napi::Function::New(env, [](const Napi::CallbackInfo &) { stop_watchdog(); }));
}

}  // namespace fabricbench
