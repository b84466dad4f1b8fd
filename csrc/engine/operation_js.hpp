// Operations as JavaScript functions: what every addon that makes or takes operations shares. Header only.
//
//   napi_value send = wrap_operation(env, new Send{...}, {buffer, communicator});    in a stack
//   Operation *operation = unwrap_operation(env, value, "timed[0]");                 in the engine
#pragma once

#include <napi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/bytes_js.hpp"
#include "engine/operation.hpp"

// One copy of all state per addon: without this, inline variables are unique in the process.
#pragma GCC visibility push(hidden)

namespace fabricbench {

constexpr napi_type_tag kOperationTag = {0x4e57f3a1c86d42b9, 0x8a03d95be1f7246c};

// Longest text of an error, from `describe`.
constexpr size_t kTextLength = 1024;

// Where in a run an operation failed.
struct FailurePlace {
  uint64_t iteration;
  uint64_t completed;  // iterations that the call completed
  uint32_t thread;
};

// Makes the error for an operation's failure; `place` is null for a call from JavaScript. Returns null with an
// exception pending where that goes wrong.
using ErrorFactory = napi_value (*)(napi_env env, const Operation *operation, int32_t code, const char *text,
                                    const FailurePlace *place);

namespace detail {

// Stands in for the engine's word until the loader has told where that is.
inline const CancelWord never_cancelled = {0, 0, nullptr};
inline const CancelWord *cancel_word = &never_cancelled;
// What this addon's operations execute with until a run takes them over.
inline Context call_context = {0, 0, 0, &never_cancelled.cancelled, nullptr};
inline ErrorFactory error_factory = nullptr;
// The class OperationError of src/engine/errors.ts, once `setErrorClass` has been called.
inline napi_ref error_class = nullptr;

inline void set_property(napi_env env, napi_value object, const char *name, napi_value value) {
  check_status(env, napi_set_named_property(env, object, name, value));
}

inline napi_value number(napi_env env, double value) {
  napi_value result;
  check_status(env, napi_create_double(env, value, &result));
  return result;
}

inline napi_value string(napi_env env, const std::string &value) {
  napi_value result;
  check_status(env, napi_create_string_utf8(env, value.data(), value.size(), &result));
  return result;
}

inline napi_value error_details(napi_env env, const Operation *operation, int32_t code, const char *text,
                                const FailurePlace *place) {
  napi_value details;
  check_status(env, napi_create_object(env, &details));
  set_property(env, details, "operation", string(env, operation->name));
  set_property(env, details, "stackName", string(env, operation->stack));
  set_property(env, details, "code", number(env, code));
  set_property(env, details, "text", string(env, text));
  if (place != nullptr) {
    set_property(env, details, "iteration", number(env, static_cast<double>(place->iteration)));
    set_property(env, details, "completed", number(env, static_cast<double>(place->completed)));
    set_property(env, details, "thread", number(env, place->thread));
  }
  return details;
}

inline napi_value plain_error(napi_env env, const Operation *operation, const char *text, napi_value details) {
  napi_value error, copied, global, object, assign;
  napi_value message = string(env, std::string(operation->name) + " failed: " + text);
  check_status(env, napi_create_error(env, nullptr, message, &error));
  check_status(env, napi_get_global(env, &global));
  check_status(env, napi_get_named_property(env, global, "Object", &object));
  check_status(env, napi_get_named_property(env, object, "assign", &assign));
  const napi_value arguments[] = {error, details};
  check_status(env, napi_call_function(env, object, assign, 2, arguments, &copied));
  set_property(env, error, "name", string(env, "OperationError"));
  return error;
}

}  // namespace detail

// The error of an operation's failure: an OperationError where the addon has been given the class, else an Error that
// carries the same properties. May throw.
inline napi_value operation_error(napi_env env, const Operation *operation, int32_t code, const char *text,
                                  const FailurePlace *place) {
  napi_value details = detail::error_details(env, operation, code, text, place);
  if (detail::error_class == nullptr) return detail::plain_error(env, operation, text, details);
  napi_value constructor, error;
  check_status(env, napi_get_reference_value(env, detail::error_class, &constructor));
  check_status(env, napi_new_instance(env, constructor, 1, &details, &error));
  return error;
}

// Makes an addon throw errors of its own class: call once, from the addon's Init.
inline void set_error_factory(ErrorFactory factory) { detail::error_factory = factory; }

inline std::string describe_cancelling() {
  const char *reason = __atomic_load_n(&detail::cancel_word->reason, __ATOMIC_ACQUIRE);
  return reason == nullptr ? "it was cancelled" : std::string("it was cancelled: ") + reason;
}

// What an operation says of its code, or a plain sentence where it says nothing.
inline std::string describe_failure(const Operation *operation, int32_t code) {
  char text[kTextLength] = "";
  if (operation->released != 0) return "it was released: build a new one";
  if (code == kOperationCancelled) return describe_cancelling();
  if (code == kOperationPending) return "it is not complete yet";
  if (operation->describe != nullptr) {
    operation->describe(const_cast<Operation *>(operation), code, text, sizeof text);
    text[sizeof text - 1] = 0;
  }
  return text[0] != 0 ? std::string(text) : "code " + std::to_string(code);
}

namespace detail {

// Off the fast path: throws the error of the context's current operation into JavaScript.
inline __attribute__((noinline, cold)) void throw_failure(napi_env env, const Context *context, int32_t code) {
  const Operation *operation = context->current;
  bool pending = false;
  if (napi_is_exception_pending(env, &pending) == napi_ok && pending) return;  // the operation itself has thrown
  const std::string text = describe_failure(operation, code);
  try {
    const ErrorFactory factory = error_factory != nullptr ? error_factory : operation_error;
    napi_value error = factory(env, operation, code, text.c_str(), nullptr);
    if (error != nullptr) napi_throw(env, error);
  } catch (const Napi::Error &error) {
    error.ThrowAsJavaScriptException();
  }
}

// The hot entry point: no arguments, no handles.
template <class Execute>
inline __attribute__((always_inline)) napi_value call_with(napi_env env, napi_callback_info info, Execute execute) {
  void *data;
  napi_get_cb_info(env, info, nullptr, nullptr, nullptr, &data);
  auto *operation = static_cast<Operation *>(data);
  Context *context = operation->context;
  __atomic_store_n(&context->current, operation, __ATOMIC_RELAXED);
  const int32_t code = execute(operation, context);
  if (__builtin_expect(code != 0, 0)) throw_failure(env, context, code);
  __atomic_store_n(&context->current, nullptr, __ATOMIC_RELAXED);
  return nullptr;
}

inline napi_value call_operation(napi_env env, napi_callback_info info) {
  return call_with(env, info,
                   [](Operation *operation, Context *context) { return operation->execute(operation, context); });
}

// The same for operations of one type, whose function stands in here: that saves a call through a pointer. What was put
// in its place (an operation that was released, say) is called all the same.
template <int32_t (*kExecute)(Operation *self, Context *context)>
napi_value call_inlined(napi_env env, napi_callback_info info) {
  return call_with(env, info, [](Operation *operation, Context *context) {
    if (__builtin_expect(operation->execute != kExecute, 0)) return operation->execute(operation, context);
    return kExecute(operation, context);
  });
}

inline int32_t execute_released(Operation *, Context *) { return 1; }

inline napi_value holds_key(napi_env env) {
  napi_value global, symbol, method, key;
  napi_value name = string(env, "fabricbench.holds");
  check_status(env, napi_get_global(env, &global));
  check_status(env, napi_get_named_property(env, global, "Symbol", &symbol));
  check_status(env, napi_get_named_property(env, symbol, "for", &method));
  check_status(env, napi_call_function(env, symbol, method, 1, &name, &key));
  return key;
}

// Sets the non-enumerable property that keeps `values` alive as long as `object`.
inline void hold_values(napi_env env, napi_value object, const std::vector<napi_value> &values) {
  napi_value list;
  check_status(env, napi_create_array_with_length(env, values.size(), &list));
  for (size_t i = 0; i < values.size(); ++i) {
    check_status(env, napi_set_element(env, list, static_cast<uint32_t>(i), values[i]));
  }
  napi_property_descriptor property = {};
  property.name = holds_key(env);
  property.value = list;
  property.attributes = napi_writable;
  check_status(env, napi_define_properties(env, object, 1, &property));
}

inline void hold_buffers(napi_env env, Operation *operation, const std::vector<napi_value> &values) {
  operation->buffers = static_cast<BufferHandle **>(calloc(values.size() + 1, sizeof(BufferHandle *)));
  for (napi_value value : values) {
    BufferHandle *buffer = engine_buffer_of(env, value);
    if (buffer == nullptr) continue;
    hold_buffer(buffer);
    ++buffer->users;
    operation->buffers[operation->buffer_count++] = buffer;
  }
}

inline void let_go_of_buffers(Operation *operation) {
  for (uint32_t i = 0; i < operation->buffer_count; ++i) {
    --operation->buffers[i]->users;
    release_buffer(operation->buffers[i]);
  }
  free(operation->buffers);
  operation->buffers = nullptr;
  operation->buffer_count = 0;
}

inline void finalize_operation(napi_env, void *data, void *) {
  auto *operation = static_cast<Operation *>(data);
  let_go_of_buffers(operation);
  if (operation->users == 0) {
    operation->destroy(operation);
  } else {
    operation->orphaned = 1;
  }
}

inline void define_name(napi_env env, napi_value function, const char *name) {
  napi_property_descriptor property = {};
  property.utf8name = "operationName";
  property.value = string(env, name);
  property.attributes = napi_enumerable;
  check_status(env, napi_define_properties(env, function, 1, &property));
}

}  // namespace detail

// Fills in the fields that every operation has; `execute` and the other functions are the caller's to set.
inline void init_operation(Operation *operation, const char *stack, const char *name, uint32_t flags) {
  *operation = Operation{};
  operation->version = kOperationVersion;
  operation->size = sizeof(Operation);
  operation->flags = flags;
  operation->name = name;
  operation->stack = stack;
}

// Makes an operation a JavaScript function of no arguments that runs it, and passes ownership to that function. The
// function keeps `holds` alive: every buffer, communicator, datatype, endpoint and request that the operation uses.
// Throws Napi::Error, and then destroys the operation. `callback` may be the `call_inlined` of the operation's type.
inline Napi::Function wrap_operation(Napi::Env env, Operation *operation, const std::vector<napi_value> &holds,
                                     napi_callback callback = detail::call_operation) {
  napi_value function = nullptr;
  operation->context = &detail::call_context;
  operation->buffers = nullptr;
  operation->buffer_count = operation->users = operation->released = operation->orphaned = 0;
  try {
    check_status(env, napi_create_function(env, operation->name, NAPI_AUTO_LENGTH, callback, operation, &function));
    check_status(env, napi_type_tag_object(env, function, &kOperationTag));
    detail::define_name(env, function, operation->name);
    detail::hold_values(env, function, holds);
    detail::hold_buffers(env, operation, holds);
    check_status(env, napi_wrap(env, function, operation, detail::finalize_operation, nullptr, nullptr));
  } catch (...) {
    detail::let_go_of_buffers(operation);
    operation->destroy(operation);
    throw;
  }
  return Napi::Function(env, function);
}

// The operation behind a JavaScript value; `what` names it in errors ("timed[0]"). Throws TypeError for anything that
// is no operation, that was released, or that an addon of another version built.
inline Operation *unwrap_operation(napi_env env, napi_value value, const std::string &what) {
  if (!has_tag(env, value, kOperationTag)) {
    throw Napi::TypeError::New(env, what +
                                        " is not an operation: operations are what a stack's or the engine's "
                                        "functions return, such as channel.send(...)");
  }
  void *data = nullptr;
  check_status(env, napi_unwrap(env, value, &data));
  auto *operation = static_cast<Operation *>(data);
  if (operation->version != kOperationVersion) {
    throw Napi::TypeError::New(env, what + " was built for version " + std::to_string(operation->version) +
                                        " of the operation ABI and this addon for version " +
                                        std::to_string(kOperationVersion) +
                                        ": build all addons from the same sources (npm run build)");
  }
  if (operation->size != sizeof(Operation)) {
    throw Napi::TypeError::New(env, what + " is a struct of " + std::to_string(operation->size) +
                                        " bytes and this addon expects " + std::to_string(sizeof(Operation)) +
                                        ": build all addons from the same sources (npm run build)");
  }
  if (operation->released != 0) {
    throw Napi::TypeError::New(env, what + " (" + operation->name + ") was released: build a new one");
  }
  return operation;
}

// Gives an addon the JavaScript class of its errors. The loader calls it, where an addon exports it, with
// OperationError.
inline void set_error_class(Napi::Env env, Napi::Function constructor) {
  if (detail::error_class != nullptr) napi_delete_reference(env, detail::error_class);
  detail::error_class = nullptr;
  check_status(env, napi_create_reference(env, constructor, 1, &detail::error_class));
}

// Has operations that are called from JavaScript look at the engine's word.
inline void set_cancel_word(const CancelWord *word) {
  detail::cancel_word = word;
  detail::call_context.cancelled = &word->cancelled;
}

// Exports what the loader calls: every addon that makes operations calls it in its Init.
inline void export_operation_support(Napi::Env env, Napi::Object exports) {
  exports.Set("setErrorClass", Napi::Function::New(env, [](const Napi::CallbackInfo &info) {
                set_error_class(info.Env(), info[0].As<Napi::Function>());
              }));
  exports.Set("setCancelWord", Napi::Function::New(env, [](const Napi::CallbackInfo &info) {
                set_cancel_word(info[0].As<Napi::External<CancelWord>>().Data());
              }));
}

}  // namespace fabricbench

#pragma GCC visibility pop
