// MPI's handles as JavaScript objects: communicators, groups, datatypes, operations, matched messages.
//
// A handle's box is shared by its JavaScript object and by the operations bound to it, so that neither outlives memory
// that the other needs, in whatever order the garbage collector takes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mpi_api.hpp"

namespace fabricbench::mpi {

// What is common to all boxes. `what` puts the kind into words for messages.
struct Box {
  bool freed = false;
};

// A box whose handle ends with a life of MPI.
struct LivingBox : Box {
  LifeOf life = world();
};

struct Comm : LivingBox {
  static constexpr const char *kClass = "Comm";
  static constexpr const char *kWhat = "a communicator";
  static constexpr napi_type_tag kTag = {0x6662636f6d6d0001, 0x9d1f0c6b2a7e4531};
  MPI_Comm value = MPI_COMM_NULL;
};

struct Group : LivingBox {
  static constexpr const char *kClass = "Group";
  static constexpr const char *kWhat = "a group";
  static constexpr napi_type_tag kTag = {0x6662677270000001, 0x3b64a7d218f0592c};
  ~Group();
  MPI_Group value = MPI_GROUP_NULL;
};

struct Op : Box {
  static constexpr const char *kClass = "Op";
  static constexpr const char *kWhat = "a reduction operation";
  static constexpr napi_type_tag kTag = {0x66626f7000000001, 0x70c5e19b843df26a};
  MPI_Op value = MPI_OP_NULL;
};

struct Message : Box {
  static constexpr const char *kClass = "Message";
  static constexpr const char *kWhat = "a matched message";
  static constexpr napi_type_tag kTag = {0x66626d7367000001, 0xe208b75d96c34af1};
  MPI_Message value = MPI_MESSAGE_NULL;
};

struct Datatype : Box {
  static constexpr const char *kClass = "Datatype";
  static constexpr const char *kWhat = "a datatype";
  static constexpr napi_type_tag kTag = {0x6662747970650001, 0x518ae4c07f2d9b36};
  ~Datatype();
  MPI_Datatype value = MPI_DATATYPE_NULL;
  bool predefined = false;
  // Measured by `measure`, once: a datatype's map never changes.
  bool measured = false;
  int64_t lower = 0, extent = 0, true_lower = 0, true_extent = 0, size = 0;

  void measure(Napi::Env env, const char *operation);
  // MPI's name for it, or a description for a derived one.
  std::string name() const;
};

#if FB_HAS_SESSIONS
struct Session : LivingBox {
  static constexpr const char *kClass = "Session";
  static constexpr const char *kWhat = "a session";
  static constexpr napi_type_tag kTag = {0x6662736573000001, 0x2fd81b4690ae57c3};
  MPI_Session value = MPI_SESSION_NULL;
};
#endif

// Defines the JavaScript class of T on `exports`; its objects are made by `wrap` alone.
template <class T>
void define_class(Napi::Env env, Napi::Object exports);

template <class T>
Napi::Object wrap(Napi::Env env, std::shared_ptr<T> box);

// The box behind a value, or null where the value is no such handle.
template <class T>
std::shared_ptr<T> unwrap(const Napi::Value &value);

// Makes a box around `value` and its object.
template <class T, class Value>
Napi::Object make_handle(Napi::Env env, Value value) {
  auto box = std::make_shared<T>();
  box->value = value;
  return wrap<T>(env, std::move(box));
}

// A new communicator or group as an object. It ends with `life`, that of what it was made from. A communicator's errors
// are returned, and MPI_COMM_NULL is COMM_NULL itself.
Napi::Value make_comm(Napi::Env env, MPI_Comm comm, const LifeOf &life);
Napi::Value make_group(Napi::Env env, MPI_Group group, const LifeOf &life);

// Drops every class; called when the environment goes away.
void forget_classes();

}  // namespace fabricbench::mpi

#include "handles_inline.hpp"
