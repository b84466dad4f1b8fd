// Buffer, count and datatype as MPI takes them, after it is sure that they fit each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "handles.hpp"
#include "memory.hpp"

namespace fabricbench::mpi {

// A datatype that this addon built for a count above INT_MAX, freed with its owner.
class OwnedType {
 public:
  OwnedType() = default;
  explicit OwnedType(MPI_Datatype type) : type_(type) {}
  OwnedType(OwnedType &&other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  OwnedType &operator=(OwnedType &&other) noexcept;
  ~OwnedType();
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// What one buffer argument of an MPI call became.
struct Data {
  void *buffer = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  OwnedType owned;
};

// The bytes that `count` consecutive elements touch, relative to the address given to MPI.
struct Reach {
  __int128 first = 0;  // negative: before the buffer
  __int128 end = 0;    // one past the last byte
};
Reach reach(const Datatype &type, int64_t count);

// Throws a RangeError that starts with `where`, unless elements at `offset` lie within a buffer of `bytes`.
void require_fit(Napi::Env env, const std::string &where, size_t bytes, const Datatype &type, int64_t count,
                 __int128 offset);

// One datatype that stands for `count` elements, count > INT_MAX: chunks of contiguous elements and a remainder, with
// the extent that `count` elements have, so that collectives find the next block where it belongs.
OwnedType big_type(Napi::Env env, const char *operation, const Datatype &type, int64_t count);

}  // namespace fabricbench::mpi
