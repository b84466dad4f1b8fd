#include "handles.hpp"

#include <utility>

#include "requests.hpp"
#include "windows.hpp"

namespace fabricbench::mpi {

// Groups and datatypes are local to the process, so that a finalizer may free them. Communicators are not: freeing one
// is collective, and stays the program's own business, as in C.
Group::~Group() {
  if (value == MPI_GROUP_NULL || value == MPI_GROUP_EMPTY || freed || is_closing() || !is_live(life)) return;
  MPI_Group_free(&value);
}

Datatype::~Datatype() {
  if (value == MPI_DATATYPE_NULL || predefined || freed || !is_running() || is_closing()) return;
  MPI_Type_free(&value);
}

void Datatype::measure(Napi::Env env, const char *operation) {
  if (measured) return;
  MPI_Count counts[5] = {};
  check(env, operation, MPI_Type_get_extent_x(value, &counts[0], &counts[1]));
  check(env, operation, MPI_Type_get_true_extent_x(value, &counts[2], &counts[3]));
  check(env, operation, MPI_Type_size_x(value, &counts[4]));
  lower = counts[0];
  extent = counts[1];
  true_lower = counts[2];
  true_extent = counts[3];
  size = counts[4];
  measured = true;
}

std::string Datatype::name() const {
  char text[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  if (value == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  if (is_running() && MPI_Type_get_name(value, text, &length) == MPI_SUCCESS && length > 0) return text;
  return "a derived datatype";
}

namespace {
Napi::ObjectReference comm_null;
}

Napi::Value make_comm(Napi::Env env, MPI_Comm comm, const LifeOf &life) {
  if (comm == MPI_COMM_NULL) {
    if (comm_null.IsEmpty()) {
      auto box = std::make_shared<Comm>();
      box->life = nullptr;
      comm_null = Napi::Persistent(wrap<Comm>(env, std::move(box)));
      comm_null.SuppressDestruct();
    }
    return comm_null.Value();
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  auto box = std::make_shared<Comm>();
  box->value = comm;
  box->life = life;
  return wrap<Comm>(env, std::move(box));
}

Napi::Value make_group(Napi::Env env, MPI_Group group, const LifeOf &life) {
  auto box = std::make_shared<Group>();
  box->value = group;
  box->life = group == MPI_GROUP_EMPTY ? nullptr : life;
  return wrap<Group>(env, std::move(box));
}

void forget_classes() {
  comm_null.Reset();
  ClassOf<Comm>::constructor.Reset();
  ClassOf<Group>::constructor.Reset();
  ClassOf<Op>::constructor.Reset();
  ClassOf<Message>::constructor.Reset();
  ClassOf<Datatype>::constructor.Reset();
  ClassOf<Requests>::constructor.Reset();
  ClassOf<Win>::constructor.Reset();
#if FB_HAS_SESSIONS
  ClassOf<Session>::constructor.Reset();
#endif
}

}  // namespace fabricbench::mpi
