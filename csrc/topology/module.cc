// topology.node: hwloc's view of a machine for JavaScript. src/topology/read.ts is the only caller, and checks every
// argument first.
#include <hwloc.h>
#include <napi.h>

#include <cstring>

#include "topology/read.hpp"

namespace fabricbench::topology {
namespace {

using Infos = std::vector<std::pair<std::string, std::string>>;

Napi::Object infos_object(Napi::Env env, const Infos &infos) {
  Napi::Object object = Napi::Object::New(env);
  for (const auto &[name, value] : infos) object.Set(name, value);
  return object;
}

Napi::Object object_of(Napi::Env env, const Object &from) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("type", from.type);
  object.Set("parent", from.parent);
  object.Set("logical", from.logical);
  object.Set("os", from.os);
  object.Set("cpus", from.cpus);
  object.Set("size", from.size);
  object.Set("level", from.level);
  object.Set("kind", from.kind);
  object.Set("address", from.address);
  object.Set("speed", from.speed);
  object.Set("pciClass", from.pci_class);
  object.Set("vendor", from.vendor);
  object.Set("name", from.name);
  object.Set("subtype", from.subtype);
  object.Set("infos", infos_object(env, from.infos));
  return object;
}

Napi::Object kind_object(Napi::Env env, const Kind &kind) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("cpus", kind.cpus);
  object.Set("efficiency", kind.efficiency);
  object.Set("infos", infos_object(env, kind.infos));
  return object;
}

Napi::Array numbers(Napi::Env env, const std::vector<double> &values) {
  Napi::Array array = Napi::Array::New(env, values.size());
  for (uint32_t index = 0; index < values.size(); ++index) array.Set(index, values[index]);
  return array;
}

template <class From, class Make>
Napi::Array array_of(Napi::Env env, const std::vector<From> &from, Make make) {
  Napi::Array array = Napi::Array::New(env, from.size());
  for (uint32_t index = 0; index < from.size(); ++index) array.Set(index, make(env, from[index]));
  return array;
}

Napi::Value matrix_object(Napi::Env env, const std::optional<Matrix> &matrix) {
  if (!matrix) return env.Null();
  Napi::Object object = Napi::Object::New(env);
  object.Set("nodes", numbers(env, matrix->nodes));
  object.Set("values", numbers(env, matrix->values));
  return object;
}

Napi::Object topology_object(Napi::Env env, const Topology &topology) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("objects", array_of(env, topology.objects, object_of));
  object.Set("allowed", topology.allowed);
  object.Set("offline", topology.offline);
  object.Set("thisSystem", topology.this_system);
  object.Set("latencies", matrix_object(env, topology.latencies));
  object.Set("kinds", array_of(env, topology.kinds, kind_object));
  return object;
}

std::optional<std::string> text_of(const Napi::Value &value) {
  if (!value.IsString()) return std::nullopt;
  return value.As<Napi::String>().Utf8Value();
}

Devices devices_of(const std::string &word) {
  if (word == "none") return Devices::kNone;
  return word == "no-gpus" ? Devices::kNoGpus : Devices::kAll;
}

// read(xml | null, synthetic | null, devices): the topology, or { step, code, text } of what failed
Napi::Value read_topology(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const Request request{text_of(info[0]), text_of(info[1]), devices_of(info[2].As<Napi::String>().Utf8Value())};
  Topology topology;
  const Failure failure = read_carefully(request, &topology);
  if (failure.step == nullptr) return topology_object(env, topology);
  Napi::Object object = Napi::Object::New(env);
  object.Set("step", failure.step);
  object.Set("code", failure.code);
  object.Set("text", strerror(failure.code));
  return object;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("read", Napi::Function::New(env, read_topology, "read"));
  exports.Set("version", HWLOC_VERSION);
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace
}  // namespace fabricbench::topology
