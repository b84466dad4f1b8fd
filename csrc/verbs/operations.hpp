// What all operations of verbs share: the objects that they use, and how their arguments are read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "verbs/objects.hpp"

namespace fabricbench::verbs {

// The objects that an operation uses.
using Uses = std::vector<std::shared_ptr<Child>>;

inline void add_use(Uses &uses, const std::shared_ptr<Child> &child) {
  for (const auto &known : uses) {
    if (known == child) return;
  }
  uses.push_back(child);
}

// Arguments, as src/verbs/bind*.ts gives them: an object of checked values.
class Request {
 public:
  explicit Request(const Napi::Value &value) : object_(value.As<Napi::Object>()) {}

  Napi::Env env() const { return object_.Env(); }
  Napi::Value get(const char *name) const { return object_.Get(name); }
  bool has(const char *name) const { return !get(name).IsUndefined(); }
  bool flag(const char *name) const { return get(name).As<Napi::Boolean>().Value(); }
  uint64_t number(const char *name) const { return static_cast<uint64_t>(get(name).As<Napi::Number>().Int64Value()); }
  uint32_t number32(const char *name) const { return static_cast<uint32_t>(number(name)); }
  uint64_t word(const char *name) const {
    bool lossless;
    return get(name).As<Napi::BigInt>().Uint64Value(&lossless);
  }
  Request part(const char *name) const { return Request(get(name)); }
  std::vector<Request> parts(const char *name) const {
    const auto list = get(name).As<Napi::Array>();
    std::vector<Request> parts;
    for (uint32_t i = 0; i < list.Length(); ++i) parts.emplace_back(list.Get(i));
    return parts;
  }
  // An object, which `uses` notes.
  template <class T>
  std::shared_ptr<T> object(const char *name, Uses &uses) const {
    auto object = unbox<T>(get(name));
    add_use(uses, object);
    return object;
  }
  // The JavaScript values that the operation keeps alive.
  std::vector<napi_value> holds() const {
    const auto list = get("holds").As<Napi::Array>();
    std::vector<napi_value> values;
    for (uint32_t i = 0; i < list.Length(); ++i) values.push_back(list.Get(i));
    return values;
  }

 private:
  Napi::Object object_;
};

using Execute = int32_t (*)(Operation *self, fabricbench::Context *context);

// Makes the JavaScript function of an operation; `fill` sets what is its own.
template <class T, class Fill>
Napi::Function bind_operation(const Request &request, const Uses &uses, const char *name, Execute execute, Fill fill) {
  T *operation = new_operation<T>(name, execute);
  try {
    operation->uses = uses;
    fill(*operation);
  } catch (...) {
    delete operation;
    throw;
  }
  return wrap_operation(request.env(), operation, request.holds());
}

// Parts of the registration; operations.cc calls them.
void register_single_operations(Napi::Env env, Napi::Object exports);
void register_streams(Napi::Env env, Napi::Object exports);
void register_receives(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::verbs
