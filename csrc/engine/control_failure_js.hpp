// Failures of connections as JavaScript sees them.
#pragma once

#include <napi.h>

#include "engine/control.hpp"

namespace fabricbench {

// Throws an Error with the property `reason`.
[[noreturn]] inline void throw_failure(Napi::Env env, const ControlFailure &failure) {
  Napi::Error error = Napi::Error::New(env, failure.text);
  error.Set("reason", failure.reason);
  throw error;
}

template <typename Action>
auto attempt(Napi::Env env, Action action) {
  try {
    return action();
  } catch (const ControlFailure &failure) {
    throw_failure(env, failure);
  }
}

// The value of a connection that takes over the socket.
Napi::Value make_raw_connection(Napi::Env env, int socket);

}  // namespace fabricbench
