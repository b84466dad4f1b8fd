// What the engine's own operations share: their making, and the reading of arguments.
#pragma once

#include <napi.h>

#include <string>

#include "engine/operation_js.hpp"
#include "engine/pattern.hpp"

namespace fabricbench {

// Makes an operation of type T with its name and function; the rest of T is the caller's to fill in.
template <typename T>
T *new_operation(const char *name, int32_t (*execute)(Operation *, Context *)) {
  T *operation = new T;
  init_operation(operation, "engine", name, kOperationAnyThread);
  operation->execute = execute;
  operation->destroy = [](Operation *self) { delete static_cast<T *>(self); };
  return operation;
}

inline uint64_t integer(const Napi::Value &value) {
  return static_cast<uint64_t>(value.As<Napi::Number>().Int64Value());
}

// Throws unless [offset, offset + length) lies in the bytes.
inline void require_range(Napi::Env env, const Bytes &bytes, uint64_t offset, uint64_t length, const char *what) {
  if (offset <= bytes.byte_length && length <= bytes.byte_length - offset) return;
  throw Napi::RangeError::New(env, std::string(what) + " has " + std::to_string(bytes.byte_length) +
                                       " bytes, too few for " + std::to_string(length) + " bytes at offset " +
                                       std::to_string(offset));
}

// An operation that checkResult can be asked about.
struct Checking : Operation {
  CheckResult result;
};

// Also what tells such an operation from all others.
inline void reset_checking(Operation *self) { static_cast<Checking *>(self)->result = CheckResult{}; }

}  // namespace fabricbench
