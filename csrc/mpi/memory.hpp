// Memory that JavaScript hands to MPI, and the references that keep it where it is.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/operation.hpp"
#include "mpi_api.hpp"

namespace fabricbench::mpi {

// Bytes of a TypedArray, DataView, Buffer, ArrayBuffer or EngineBuffer. Nothing is copied.
struct Memory {
  char *data = nullptr;
  size_t bytes = 0;
  Napi::Value object;              // empty for none
  BufferHandle *handle = nullptr;  // set where it lies in an engine buffer
};

// Reads a buffer argument; throws a TypeError that starts with `where` for anything else, and for memory that was
// detached or may be resized.
Memory read_memory(const Napi::Value &value, const std::string &where);

// Keeps an object and its memory alive: a strong reference, and for an EngineBuffer a user that forbids freeing it.
class Hold {
 public:
  explicit Hold(const Memory &memory);
  Hold(Hold &&other) noexcept;
  Hold &operator=(Hold &&) = delete;
  Hold(const Hold &) = delete;
  ~Hold();
  Napi::Value value() const;

 private:
  napi_env env_;
  napi_ref reference_ = nullptr;
  BufferHandle *handle_;
};

using Holds = std::vector<Hold>;

}  // namespace fabricbench::mpi
