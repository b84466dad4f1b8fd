// Derived datatypes: local to a process, and never timed. The arrays' lengths are MPI's `count`.
#include "register.hpp"

namespace fabricbench::mpi {
namespace {

// The handle by reference: it is read after the call that fills it in.
Napi::Value made(const Arguments &a, int code, const MPI_Datatype &type) {
  check(a.env(), a.call(), code);
  return make_handle<Datatype>(a.env(), type);
}

void require_same_length(const Arguments &a, size_t lengths, size_t others, const char *name) {
  if (lengths != others) a.refuse_range(std::string(name) + " must be as long as array_of_blocklengths");
}

// (count, oldtype); counts above INT_MAX are taken too.
Napi::Value type_contiguous(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_contiguous", Form::kImmediate);
  const int64_t count = a.count("count");
  Datatype &old = a.handle<Datatype>("oldtype");
  a.done();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (count <= INT32_MAX) {
    return made(a, MPI_Type_contiguous(count < 0 ? -1 : static_cast<int>(count), old.value, &type), type);
  }
  old.measure(a.env(), a.call());
  const OwnedType big = big_type(a.env(), a.call(), old, count);
  return made(a, MPI_Type_dup(big.get(), &type), type);
}

// (count, blocklength, stride, oldtype), stride in elements
Napi::Value type_vector(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_vector", Form::kImmediate);
  const int count = a.integer("count"), length = a.integer("blocklength"), stride = a.integer("stride");
  const MPI_Datatype old = a.handle<Datatype>("oldtype").value;
  a.done();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  return made(a, MPI_Type_vector(count, length, stride, old, &type), type);
}

// (count, blocklength, stride, oldtype), stride in bytes
Napi::Value type_create_hvector(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_create_hvector", Form::kImmediate);
  const int count = a.integer("count"), length = a.integer("blocklength");
  const auto stride = static_cast<MPI_Aint>(a.count("stride"));
  const MPI_Datatype old = a.handle<Datatype>("oldtype").value;
  a.done();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  return made(a, MPI_Type_create_hvector(count, length, stride, old, &type), type);
}

// (array_of_blocklengths, array_of_displacements, oldtype), displacements in elements
Napi::Value type_indexed(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_indexed", Form::kImmediate);
  const std::vector<int> lengths = a.integers("array_of_blocklengths");
  const std::vector<int> places = a.integers("array_of_displacements");
  const MPI_Datatype old = a.handle<Datatype>("oldtype").value;
  a.done();
  require_same_length(a, lengths.size(), places.size(), "array_of_displacements");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  return made(a, MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), old, &type), type);
}

// (array_of_blocklengths, array_of_displacements, oldtype), displacements in bytes
Napi::Value type_create_hindexed(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_create_hindexed", Form::kImmediate);
  const std::vector<int> lengths = a.integers("array_of_blocklengths");
  const std::vector<int64_t> wide = a.longs("array_of_displacements");
  const std::vector<MPI_Aint> places(wide.begin(), wide.end());
  const MPI_Datatype old = a.handle<Datatype>("oldtype").value;
  a.done();
  require_same_length(a, lengths.size(), places.size(), "array_of_displacements");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int count = static_cast<int>(lengths.size());
  return made(a, MPI_Type_create_hindexed(count, lengths.data(), places.data(), old, &type), type);
}

// (array_of_blocklengths, array_of_displacements, array_of_types), displacements in bytes
Napi::Value type_create_struct(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_create_struct", Form::kImmediate);
  const std::vector<int> lengths = a.integers("array_of_blocklengths");
  const std::vector<int64_t> wide = a.longs("array_of_displacements");
  const std::vector<MPI_Aint> places(wide.begin(), wide.end());
  std::vector<MPI_Datatype> types;
  for (const auto &box : a.handles<Datatype>("array_of_types")) types.push_back(box->value);
  a.done();
  require_same_length(a, lengths.size(), places.size(), "array_of_displacements");
  require_same_length(a, lengths.size(), types.size(), "array_of_types");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int count = static_cast<int>(lengths.size());
  return made(a, MPI_Type_create_struct(count, lengths.data(), places.data(), types.data(), &type), type);
}

// (oldtype, lb, extent), in bytes
Napi::Value type_create_resized(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_create_resized", Form::kImmediate);
  const MPI_Datatype old = a.handle<Datatype>("oldtype").value;
  const auto lower = static_cast<MPI_Aint>(a.count("lb")), extent = static_cast<MPI_Aint>(a.count("extent"));
  a.done();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  return made(a, MPI_Type_create_resized(old, lower, extent, &type), type);
}

Napi::Value type_dup(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_dup", Form::kImmediate);
  const MPI_Datatype old = a.handle<Datatype>("oldtype").value;
  a.done();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  return made(a, MPI_Type_dup(old, &type), type);
}

Napi::Value type_commit(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_commit", Form::kImmediate);
  Datatype &type = a.handle<Datatype>("datatype");
  a.done();
  check(a.env(), a.call(), MPI_Type_commit(&type.value));
  return a.env().Undefined();
}

// Communication in flight completes; operations bound to the datatype fail from now on.
Napi::Value type_free(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_free", Form::kImmediate);
  Datatype &type = a.handle<Datatype>("datatype");
  a.done();
  if (type.predefined) fail(a.env(), a.call(), MPI_ERR_TYPE);
  check(a.env(), a.call(), MPI_Type_free(&type.value));
  type.freed = true;
  disable_users(&type);
  return a.env().Undefined();
}

Datatype &measured(Arguments &a) {
  Datatype &type = a.handle<Datatype>("datatype");
  a.done();
  type.measure(a.env(), a.call());
  return type;
}

Napi::Value type_size(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_size", Form::kImmediate);
  return Napi::Number::New(a.env(), static_cast<double>(measured(a).size));
}

Napi::Value bounds(Napi::Env env, int64_t lower, int64_t extent) {
  auto result = Napi::Object::New(env);
  result.Set("lb", Napi::Number::New(env, static_cast<double>(lower)));
  result.Set("extent", Napi::Number::New(env, static_cast<double>(extent)));
  return result;
}

Napi::Value type_get_extent(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_get_extent", Form::kImmediate);
  const Datatype &type = measured(a);
  return bounds(a.env(), type.lower, type.extent);
}

Napi::Value type_get_true_extent(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_get_true_extent", Form::kImmediate);
  const Datatype &type = measured(a);
  return bounds(a.env(), type.true_lower, type.true_extent);
}

Napi::Value type_get_name(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Type_get_name", Form::kImmediate);
  const Datatype &type = a.handle<Datatype>("datatype");
  a.done();
  char text[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  check(a.env(), a.call(), MPI_Type_get_name(type.value, text, &length));
  return Napi::String::New(a.env(), text);
}

}  // namespace

void register_datatypes(Registry &r) {
  define_class<Datatype>(r.env, r.exports);
  r.function<type_contiguous>("Type_contiguous");
  r.function<type_vector>("Type_vector");
  r.function<type_create_hvector>("Type_create_hvector");
  r.function<type_indexed>("Type_indexed");
  r.function<type_create_hindexed>("Type_create_hindexed");
  r.function<type_create_struct>("Type_create_struct");
  r.function<type_create_resized>("Type_create_resized");
  r.function<type_dup>("Type_dup");
  r.function<type_commit>("Type_commit");
  r.function<type_free>("Type_free");
  r.function<type_size>("Type_size");
  r.function<type_get_extent>("Type_get_extent");
  r.function<type_get_true_extent>("Type_get_true_extent");
  r.function<type_get_name>("Type_get_name");
}

}  // namespace fabricbench::mpi
