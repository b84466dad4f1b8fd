// The watchdog as JavaScript sees it; src/engine/watchdog.ts checks the arguments.
#include <napi.h>

#include <string>
#include <system_error>

#include "engine/addon.hpp"
#include "engine/watchdog.hpp"

namespace fabricbench {
namespace {

// watchdogStart(limit with grace, what the limit is called, rank)
void start(const Napi::CallbackInfo &info) {
  try {
    start_watchdog(info[0].As<Napi::Number>().DoubleValue(), info[1].As<Napi::String>().Utf8Value(),
                   info[2].As<Napi::Number>().Int32Value());
  } catch (const std::system_error &error) {
    throw Napi::Error::New(info.Env(), std::string("the system gives no thread for the watchdog (") + error.what() +
                                           "): raise the limit of processes, or switch it off with --watchdog 0");
  }
}

}  // namespace

void export_watchdog(Napi::Env env, Napi::Object exports) {
  exports.Set("watchdogStart", Napi::Function::New(env, start));
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
