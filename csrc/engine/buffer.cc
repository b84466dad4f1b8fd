// Engine buffers: page-aligned memory that JavaScript and several addons share.
#include <napi.h>
#include <stdlib.h>
#include <string.h>

#include <string>

#include "engine/addon.hpp"
#include "engine/bytes_js.hpp"

namespace fabricbench {
namespace {

void destroy_handle(BufferHandle *handle) {
  free(handle->data);
  delete handle;
}

// Tells the garbage collector how much memory its small objects really hold.
void account(napi_env env, const BufferHandle *handle, int sign) {
  int64_t total;
  napi_adjust_external_memory(env, sign * static_cast<int64_t>(handle->byte_length), &total);
}

void finalize_view(napi_env, void *data, void *) { release_buffer(static_cast<BufferHandle *>(data)); }

void finalize_object(napi_env env, void *data, void *) {
  auto *handle = static_cast<BufferHandle *>(data);
  account(env, handle, -1);
  release_buffer(handle);
}

// Tags `object` and makes it hold the handle.
void bind_handle(Napi::Env env, napi_value object, BufferHandle *handle, napi_finalize finalize) {
  check_status(env, napi_type_tag_object(env, object, &kBufferTag));
  check_status(env, napi_wrap(env, object, handle, finalize, nullptr, nullptr));
  hold_buffer(handle);
}

// Zeroed memory with its pages touched, so that no page fault falls into a timed part.
void *allocate_touched(size_t byte_length, size_t alignment) {
  void *data = nullptr;
  if (posix_memalign(&data, alignment, byte_length == 0 ? 1 : byte_length) != 0) return nullptr;
  memset(data, 0, byte_length);
  return data;
}

// bufferAllocate(object, byteLength, alignment)
void allocate(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto byte_length = static_cast<size_t>(info[1].As<Napi::Number>().Int64Value());
  const auto alignment = static_cast<size_t>(info[2].As<Napi::Number>().Int64Value());
  void *data = allocate_touched(byte_length, alignment);
  if (data == nullptr) {
    throw Napi::RangeError::New(env, "there is no memory for an engine buffer of " + std::to_string(byte_length) +
                                         " bytes: use smaller messages or fewer buffers");
  }
  auto *handle = new BufferHandle{kBufferVersion, sizeof(BufferHandle), data, byte_length, 0, 0, destroy_handle};
  bind_handle(env, info[0], handle, finalize_object);
  account(env, handle, 1);
}

// bufferView(object, offset, length): an ArrayBuffer on that part of the memory
Napi::Value view(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  BufferHandle *handle = unwrap_buffer(env, info[0]);
  const auto offset = static_cast<size_t>(info[1].As<Napi::Number>().Int64Value());
  const auto length = static_cast<size_t>(info[2].As<Napi::Number>().Int64Value());
  napi_value array_buffer;
  check_status(env, napi_create_external_arraybuffer(env, static_cast<uint8_t *>(handle->data) + offset, length,
                                                     nullptr, nullptr, &array_buffer));
  bind_handle(env, array_buffer, handle, finalize_view);
  return Napi::Value(env, array_buffer);
}

// bufferAddress(object): bigint
Napi::Value address(const Napi::CallbackInfo &info) {
  return Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(unwrap_buffer(info.Env(), info[0])->data));
}

// bufferUsers(object): how many operations hold it
Napi::Value users(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), unwrap_buffer(info.Env(), info[0])->users);
}

// bufferFree(object, views): detaches the views, then frees the memory. The caller has checked that nobody uses it.
void release(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  BufferHandle *handle = unwrap_buffer(env, info[0]);
  const auto views = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < views.Length(); ++i) {
    const Napi::Value array_buffer = views[i];
    check_status(env, napi_detach_arraybuffer(env, array_buffer));
  }
  account(env, handle, -1);
  free(handle->data);
  handle->data = nullptr;
  handle->byte_length = 0;
}

}  // namespace

void export_buffer(Napi::Env env, Napi::Object exports) {
  exports.Set("bufferAllocate", Napi::Function::New(env, allocate));
  exports.Set("bufferView", Napi::Function::New(env, view));
  exports.Set("bufferAddress", Napi::Function::New(env, address));
  exports.Set("bufferUsers", Napi::Function::New(env, users));
  exports.Set("bufferFree", Napi::Function::New(env, release));
}

}  // namespace fabricbench
