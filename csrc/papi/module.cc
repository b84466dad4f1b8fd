// papi.node: hardware counters for JavaScript. src/papi/ is the only caller, and checks every argument first.
#include <napi.h>
#include <papi.h>

#include "papi/event_sets.hpp"

namespace fabricbench::papi {
namespace {

Napi::Object failure_object(Napi::Env env, const Failure &failure) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("step", failure.step);
  object.Set("code", failure.code);
  object.Set("text", failure.text);
  object.Set("event", failure.event);
  object.Set("known", failure.known);
  object.Set("component", failure.component);
  object.Set("disabled", failure.disabled);
  return object;
}

// new Events(names): `failure` is null where they are counted from here on.
class Events : public Napi::ObjectWrap<Events> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Events", {InstanceMethod("read", &Events::read), InstanceMethod("close", &Events::close)});
  }

  explicit Events(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Events>(info) {
    const Napi::Array array = info[0].As<Napi::Array>();
    std::vector<std::string> names;
    for (uint32_t index = 0; index < array.Length(); ++index)
      names.push_back(array.Get(index).As<Napi::String>().Utf8Value());
    const Failure failure = sets_.open(names);
    const Napi::Value said = failure.step == nullptr ? info.Env().Null() : failure_object(info.Env(), failure);
    info.This().As<Napi::Object>().Set("failure", said);
  }

 private:
  // read(values): counts since the start, into a Float64Array as long as the names; returns PAPI's words where it
  // failed
  Napi::Value read(const Napi::CallbackInfo &info) {
    const int code = sets_.read(info[0].As<Napi::Float64Array>().Data());
    if (code == PAPI_OK) return info.Env().Null();
    return Napi::String::New(info.Env(), PAPI_strerror(code));
  }

  Napi::Value close(const Napi::CallbackInfo &info) {
    sets_.close();
    return info.Env().Undefined();
  }

  EventSets sets_;
};

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("Events", Events::define(env));
  exports.Set("permission", PAPI_EPERM);
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace
}  // namespace fabricbench::papi
