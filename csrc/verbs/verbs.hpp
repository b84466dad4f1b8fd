// What all bindings of verbs share: errors of calls, and the making of operations.
#pragma once

#include <napi.h>

#include "engine/operation_js.hpp"

namespace fabricbench::verbs {

constexpr const char *kStack = "verbs";

// Throws the OperationError {operation: call, stackName: "verbs", code: errno} with the system's text and `mend`, what
// most likely helps (null: nothing is known).
[[noreturn]] void throw_errno(Napi::Env env, const char *call, int code, const char *mend = nullptr);

// For calls that return 0 or an errno.
inline void check(Napi::Env env, const char *call, int code, const char *mend = nullptr) {
  if (code != 0) throw_errno(env, call, code, mend);
}

// Codes of operations: an errno that a call returned, or a status of a completion (ibv_wc_status, from 1), kept apart
// by this offset.
constexpr int32_t kWcStatus = 0x10000;

// Puts either into words, with the likely mend of a status.
void describe_code(Operation *self, int32_t code, char *text, size_t length);

// Makes an operation of type T (derived from Operation); the rest of T is the caller's to fill in.
template <typename T>
T *new_operation(const char *name, int32_t (*execute)(Operation *, fabricbench::Context *)) {
  T *operation = new T;
  init_operation(operation, kStack, name, kOperationAnyThread);
  operation->execute = execute;
  operation->describe = describe_code;
  operation->destroy = [](Operation *self) { delete static_cast<T *>(self); };
  return operation;
}

// Parts of the registration; module.cc calls them.
void register_devices(Napi::Env env, Napi::Object exports);
void register_memory(Napi::Env env, Napi::Object exports);
void register_huge_pages(Napi::Env env, Napi::Object exports);  // called by register_memory
void register_queues(Napi::Env env, Napi::Object exports);
void register_queue_pairs(Napi::Env env, Napi::Object exports);
void register_operations(Napi::Env env, Napi::Object exports);
void register_cm(Napi::Env env, Napi::Object exports);
void register_channels(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::verbs
