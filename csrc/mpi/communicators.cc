// Communicators. Creating and freeing them is collective and never timed: plain functions.
#include "register.hpp"

namespace fabricbench::mpi {
namespace {

Napi::Value comm_rank(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_rank", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  int rank = 0;
  check(a.env(), a.call(), MPI_Comm_rank(comm, &rank));
  return Napi::Number::New(a.env(), rank);
}

Napi::Value comm_size(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_size", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  int size = 0;
  check(a.env(), a.call(), MPI_Comm_size(comm, &size));
  return Napi::Number::New(a.env(), size);
}

Napi::Value comm_dup(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_dup", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  MPI_Comm made = MPI_COMM_NULL;
  check(a.env(), a.call(), MPI_Comm_dup(comm, &made));
  return make_comm(a.env(), made, a.life());
}

// (comm, color, key)
Napi::Value comm_split(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_split", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const int color = a.integer("color"), key = a.integer("key");
  a.done();
  MPI_Comm made = MPI_COMM_NULL;
  check(a.env(), a.call(), MPI_Comm_split(comm, color, key, &made));
  return make_comm(a.env(), made, a.life());
}

// (comm, split_type, key)
Napi::Value comm_split_type(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_split_type", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const int type = a.integer("split_type"), key = a.integer("key");
  a.done();
  MPI_Comm made = MPI_COMM_NULL;
  check(a.env(), a.call(), MPI_Comm_split_type(comm, type, key, MPI_INFO_NULL, &made));
  return make_comm(a.env(), made, a.life());
}

// (comm, group)
Napi::Value comm_create(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_create", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const MPI_Group group = a.handle<Group>("group").value;
  a.done();
  MPI_Comm made = MPI_COMM_NULL;
  check(a.env(), a.call(), MPI_Comm_create(comm, group, &made));
  return make_comm(a.env(), made, a.life());
}

// (comm, group, tag)
Napi::Value comm_create_group(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_create_group", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const MPI_Group group = a.handle<Group>("group").value;
  const int tag = a.integer("tag");
  a.done();
  MPI_Comm made = MPI_COMM_NULL;
  check(a.env(), a.call(), MPI_Comm_create_group(comm, group, tag, &made));
  return make_comm(a.env(), made, a.life());
}

Napi::Value comm_group(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_group", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  MPI_Group group = MPI_GROUP_NULL;
  check(a.env(), a.call(), MPI_Comm_group(comm, &group));
  return make_group(a.env(), group, a.life());
}

Napi::Value comm_compare(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_compare", Form::kImmediate);
  const MPI_Comm first = a.comm(), second = a.comm();
  a.done();
  int result = MPI_UNEQUAL;
  check(a.env(), a.call(), MPI_Comm_compare(first, second, &result));
  return Napi::Number::New(a.env(), result);
}

Napi::Value comm_get_name(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_get_name", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  char text[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  check(a.env(), a.call(), MPI_Comm_get_name(comm, text, &length));
  return Napi::String::New(a.env(), text);
}

Napi::Value comm_set_name(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_set_name", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const std::string name = a.text("comm_name");
  a.done();
  check(a.env(), a.call(), MPI_Comm_set_name(comm, name.c_str()));
  return a.env().Undefined();
}

// Operations bound to the communicator fail from now on.
Napi::Value comm_free(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_free", Form::kImmediate);
  Comm &comm = a.handle<Comm>("comm");
  a.done();
  MPI_Comm value = comm.value;
  check(a.env(), a.call(), MPI_Comm_free(&value));
  comm.freed = true;
  disable_users(&comm);
  return a.env().Undefined();
}

// (comm, errorcode): does not return.
Napi::Value abort(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Abort", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const int code = a.integer("errorcode");
  a.done();
  check(a.env(), a.call(), MPI_Abort(comm, code));
  return a.env().Undefined();
}

}  // namespace

void register_communicators(Registry &r) {
  define_class<Comm>(r.env, r.exports);
  r.function<comm_rank>("Comm_rank");
  r.function<comm_size>("Comm_size");
  r.function<comm_dup>("Comm_dup");
  r.function<comm_split>("Comm_split");
  r.function<comm_split_type>("Comm_split_type");
  r.function<comm_create>("Comm_create");
  r.function<comm_create_group>("Comm_create_group");
  r.function<comm_group>("Comm_group");
  r.function<comm_compare>("Comm_compare");
  r.function<comm_get_name>("Comm_get_name");
  r.function<comm_set_name>("Comm_set_name");
  r.function<comm_free>("Comm_free");
  r.function<abort>("Abort");
}

}  // namespace fabricbench::mpi
