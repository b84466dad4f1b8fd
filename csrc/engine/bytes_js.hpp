// Bytes of a JavaScript value, as every addon takes them: engine buffers, array buffers and all views on either.
#pragma once

#include <napi.h>

#include <string>

#include "engine/operation.hpp"

namespace fabricbench {

// Marks every JavaScript object that wraps a BufferHandle: an EngineBuffer, and the array buffers that show its memory.
constexpr napi_type_tag kBufferTag = {0x9d1c7e0a52b34f86, 0xb2f8a6c37d0e4195};

// Element type of bytes that are no typed array. Others are values of napi_typedarray_type.
constexpr int32_t kNoElement = -1;

struct Bytes {
  void *data = nullptr;  // null only where byte_length is 0
  size_t byte_length = 0;
  int32_t element = kNoElement;
  BufferHandle *handle = nullptr;  // the engine buffer that it lies in, if any
};

inline void check_status(napi_env env, napi_status status) {
  if (status != napi_ok) throw Napi::Error::New(env);
}

inline bool has_tag(napi_env env, napi_value value, const napi_type_tag &tag) {
  napi_valuetype type;
  bool tagged = false;
  if (napi_typeof(env, value, &type) != napi_ok || (type != napi_object && type != napi_function)) return false;
  return napi_check_object_type_tag(env, value, &tag, &tagged) == napi_ok && tagged;
}

// The handle that a tagged object wraps. Throws where it comes from an addon of another version.
inline BufferHandle *unwrap_buffer(napi_env env, napi_value value) {
  void *data = nullptr;
  check_status(env, napi_unwrap(env, value, &data));
  auto *handle = static_cast<BufferHandle *>(data);
  if (handle->version != kBufferVersion || handle->size != sizeof(BufferHandle)) {
    throw Napi::TypeError::New(env,
                               "this engine buffer comes from an engine of another version: build all addons from the "
                               "same sources (npm run build)");
  }
  return handle;
}

// The array buffer below a view, or the value itself; null for anything else. Fills in what the view says of itself.
inline napi_value array_buffer_below(napi_env env, napi_value value, Bytes *bytes) {
  napi_value buffer = nullptr;
  size_t offset = 0;
  bool is = false;
  if (napi_is_typedarray(env, value, &is) == napi_ok && is) {
    napi_typedarray_type type;
    size_t length = 0;
    check_status(env, napi_get_typedarray_info(env, value, &type, &length, &bytes->data, &buffer, &offset));
    static constexpr uint8_t kWidths[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};  // by napi_typedarray_type
    bytes->element = type;
    bytes->byte_length = length * kWidths[type];
  } else if (napi_is_dataview(env, value, &is) == napi_ok && is) {
    check_status(env, napi_get_dataview_info(env, value, &bytes->byte_length, &bytes->data, &buffer, &offset));
  } else if (napi_is_arraybuffer(env, value, &is) == napi_ok && is) {
    check_status(env, napi_get_arraybuffer_info(env, value, &bytes->data, &bytes->byte_length));
    buffer = value;
  }
  return buffer;
}

inline bool is_true(napi_env env, napi_value object, const char *property) {
  napi_value value;
  napi_valuetype type;
  bool is = false;
  check_status(env, napi_get_named_property(env, object, property, &value));
  check_status(env, napi_typeof(env, value, &type));
  return type == napi_boolean && napi_get_value_bool(env, value, &is) == napi_ok && is;
}

// Whether the memory of a bound value has been taken away from it since.
inline bool is_detached(napi_env env, napi_value array_buffer) {
  bool detached = false;
  check_status(env, napi_is_detached_arraybuffer(env, array_buffer, &detached));
  return detached;
}

// The engine buffer behind an EngineBuffer or a view on one, or null.
inline BufferHandle *engine_buffer_of(napi_env env, napi_value value) {
  if (has_tag(env, value, kBufferTag)) return unwrap_buffer(env, value);
  Bytes ignored;
  napi_value below = array_buffer_below(env, value, &ignored);
  return below != nullptr && has_tag(env, below, kBufferTag) ? unwrap_buffer(env, below) : nullptr;
}

// The bytes of `value`; `what` names it in errors ("the send buffer"). Throws TypeError for values without bytes, and
// for memory that may move or vanish. Whoever keeps the pointer must keep the value alive (see wrap_operation).
inline Bytes bytes_of(napi_env env, napi_value value, const std::string &what) {
  Bytes bytes;
  auto refuse = [&](const char *why) -> Napi::Error { return Napi::TypeError::New(env, what + " " + why); };
  if (has_tag(env, value, kBufferTag)) {
    bool is_view = false;
    check_status(env, napi_is_arraybuffer(env, value, &is_view));
    if (!is_view) {
      bytes.handle = unwrap_buffer(env, value);
      bytes.data = bytes.handle->data;
      bytes.byte_length = bytes.handle->byte_length;
      if (bytes.data == nullptr) throw refuse("is an engine buffer that was freed: allocate a new one");
      return bytes;
    }
  }
  napi_value below = array_buffer_below(env, value, &bytes);
  if (below == nullptr) {
    throw refuse("must be an EngineBuffer, an ArrayBuffer, a typed array, a DataView or a Buffer");
  }
  if (is_detached(env, below)) {
    throw refuse("is detached: its memory was transferred to another thread or freed; use a new one");
  }
  if (is_true(env, below, "resizable") || is_true(env, below, "growable")) {
    throw refuse("lies in a resizable ArrayBuffer, whose memory may move: use one of fixed length");
  }
  if (has_tag(env, below, kBufferTag)) bytes.handle = unwrap_buffer(env, below);
  return bytes;
}

}  // namespace fabricbench
