// What the bindings of UCP and UCT share: UCX's statuses as errors, and the making of operations.
#pragma once

#include <napi.h>
#include <ucs/type/status.h>

#include "engine/operation_js.hpp"

namespace fabricbench::ucx {

// Throws the OperationError {operation: call, stackName: stack, code: status} with UCX's own text, unless the status is
// UCS_OK. `stack` is "ucp" or "uct".
void check(Napi::Env env, const char *stack, const char *call, ucs_status_t status);

// Gives UCX's text for a status.
void describe_status(Operation *self, int32_t code, char *text, size_t length);

// Makes an operation of type T (derived from Operation) of a stack; the rest of T is the caller's to fill in. Its codes
// are statuses.
template <typename T>
T *new_operation(const char *stack, const char *name, int32_t (*execute)(Operation *, Context *)) {
  T *operation = new T;
  init_operation(operation, stack, name, kOperationAnyThread);
  operation->execute = execute;
  operation->describe = describe_status;
  operation->destroy = [](Operation *self) { delete static_cast<T *>(self); };
  return operation;
}

// One function per API; module.cc calls them.
void register_ucp(Napi::Env env, Napi::Object exports);
void register_uct(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::ucx
