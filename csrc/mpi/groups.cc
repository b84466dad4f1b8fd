// Groups: local to a process, and never timed.
#include "register.hpp"

namespace fabricbench::mpi {
namespace {

// The handle by reference: it is read after the call that fills it in.
Napi::Value made(const Arguments &a, int code, const MPI_Group &group) {
  check(a.env(), a.call(), code);
  return make_group(a.env(), group, a.life());
}

Napi::Value group_size(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_size", Form::kImmediate);
  const MPI_Group group = a.handle<Group>("group").value;
  a.done();
  int size = 0;
  check(a.env(), a.call(), MPI_Group_size(group, &size));
  return Napi::Number::New(a.env(), size);
}

// UNDEFINED where this process is no member.
Napi::Value group_rank(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_rank", Form::kImmediate);
  const MPI_Group group = a.handle<Group>("group").value;
  a.done();
  int rank = 0;
  check(a.env(), a.call(), MPI_Group_rank(group, &rank));
  return Napi::Number::New(a.env(), rank);
}

// (group, ranks)
Napi::Value group_incl(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_incl", Form::kImmediate);
  const MPI_Group group = a.handle<Group>("group").value;
  const std::vector<int> ranks = a.integers("ranks");
  a.done();
  MPI_Group result = MPI_GROUP_NULL;
  return made(a, MPI_Group_incl(group, static_cast<int>(ranks.size()), ranks.data(), &result), result);
}

// (group, ranks)
Napi::Value group_excl(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_excl", Form::kImmediate);
  const MPI_Group group = a.handle<Group>("group").value;
  const std::vector<int> ranks = a.integers("ranks");
  a.done();
  MPI_Group result = MPI_GROUP_NULL;
  return made(a, MPI_Group_excl(group, static_cast<int>(ranks.size()), ranks.data(), &result), result);
}

using SetFunction = int (*)(MPI_Group, MPI_Group, MPI_Group *);

Napi::Value combine(const Napi::CallbackInfo &info, const char *call, SetFunction function) {
  Arguments a(info, call, Form::kImmediate);
  const MPI_Group first = a.handle<Group>("group1").value, second = a.handle<Group>("group2").value;
  a.done();
  MPI_Group result = MPI_GROUP_NULL;
  return made(a, function(first, second, &result), result);
}

Napi::Value group_union(const Napi::CallbackInfo &info) { return combine(info, "MPI_Group_union", MPI_Group_union); }
Napi::Value group_intersection(const Napi::CallbackInfo &info) {
  return combine(info, "MPI_Group_intersection", MPI_Group_intersection);
}
Napi::Value group_difference(const Napi::CallbackInfo &info) {
  return combine(info, "MPI_Group_difference", MPI_Group_difference);
}

Napi::Value group_compare(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_compare", Form::kImmediate);
  const MPI_Group first = a.handle<Group>("group1").value, second = a.handle<Group>("group2").value;
  a.done();
  int result = MPI_UNEQUAL;
  check(a.env(), a.call(), MPI_Group_compare(first, second, &result));
  return Napi::Number::New(a.env(), result);
}

// (group1, ranks1, group2): each rank's rank in group2, UNDEFINED where it has none.
Napi::Value group_translate_ranks(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_translate_ranks", Form::kImmediate);
  const MPI_Group first = a.handle<Group>("group1").value;
  const std::vector<int> ranks = a.integers("ranks1");
  const MPI_Group second = a.handle<Group>("group2").value;
  a.done();
  std::vector<int> result(ranks.size());
  const int length = static_cast<int>(ranks.size());
  check(a.env(), a.call(), MPI_Group_translate_ranks(first, length, ranks.data(), second, result.data()));
  auto array = Napi::Array::New(a.env(), result.size());
  for (size_t i = 0; i < result.size(); ++i) {
    array.Set(static_cast<uint32_t>(i), Napi::Number::New(a.env(), result[i]));
  }
  return array;
}

Napi::Value group_free(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_free", Form::kImmediate);
  Group &group = a.handle<Group>("group");
  a.done();
  check(a.env(), a.call(), MPI_Group_free(&group.value));
  group.freed = true;
  disable_users(&group);
  return a.env().Undefined();
}

}  // namespace

void register_groups(Registry &r) {
  define_class<Group>(r.env, r.exports);
  r.function<group_size>("Group_size");
  r.function<group_rank>("Group_rank");
  r.function<group_incl>("Group_incl");
  r.function<group_excl>("Group_excl");
  r.function<group_union>("Group_union");
  r.function<group_intersection>("Group_intersection");
  r.function<group_difference>("Group_difference");
  r.function<group_compare>("Group_compare");
  r.function<group_translate_ranks>("Group_translate_ranks");
  r.function<group_free>("Group_free");
}

}  // namespace fabricbench::mpi
