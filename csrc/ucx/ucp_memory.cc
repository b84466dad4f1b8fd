// Memory: ucp_mem_map, and the engine buffers that show what UCX allocated.
#include <cstring>
#include <utility>

#include "ucx/ucp_call.hpp"
#include "ucx/ucs.hpp"

namespace fabricbench::ucx::ucp {
namespace {

void require_address(Napi::Env env, Memory &memory) {
  ucp_mem_attr_t attributes = {};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH;
  const ucs_status_t status = ucp_mem_query(memory.handle, &attributes);
  if (status != UCS_OK) ucp_mem_unmap(memory.context->handle, memory.handle);
  check(env, "ucp", "ucp_mem_query", status);
  memory.address = attributes.address;
}

Napi::Value adopt(Napi::Env env, const std::shared_ptr<Memory> &memory) {
  ++memory->context->children;
  keep(memory);
  return wrap(env, memory);
}

// The type of memory with a name of UCX's, or UCS_MEMORY_TYPE_LAST.
ucs_memory_type_t type_named(const std::string &name) {
  uint32_t type = 0;
  while (type < UCS_MEMORY_TYPE_LAST && name != ucs_memory_type_names[type]) ++type;
  return static_cast<ucs_memory_type_t>(type);
}

// ucpMemAllocate(context, length, nonBlocking, memoryType)
Napi::Value allocate(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  auto memory = std::make_shared<Memory>();
  memory->context = unwrap<UcpContext>(info[0]);
  memory->length = read_size(info[1]);
  ucp_mem_map_params_t params = {};
  params.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
  params.length = memory->length;
  params.flags = UCP_MEM_MAP_ALLOCATE | (info[2].ToBoolean() ? UCP_MEM_MAP_NONBLOCK : 0);
  params.memory_type = type_named(info[3].ToString());
  check(env, "ucp", "ucp_mem_map", ucp_mem_map(memory->context->handle, &params, &memory->handle));
  require_address(env, *memory);
  memset(memory->address, 0, memory->length);
  const auto destroy = [](BufferHandle *handle) { delete handle; };
  memory->buffer =
      new BufferHandle{kBufferVersion, sizeof(BufferHandle), memory->address, memory->length, 0, 0, destroy};
  hold_buffer(memory->buffer);
  return adopt(env, memory);
}

// ucpMemRegister(context, buffer, nonBlocking)
Napi::Value enrol(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const Bytes bytes = bytes_of(env, info[1], "the buffer");
  auto memory = std::make_shared<Memory>();
  memory->context = unwrap<UcpContext>(info[0]);
  memory->length = bytes.byte_length;
  memory->address = bytes.data;
  ucp_mem_map_params_t params = {};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.address = bytes.data;
  params.length = bytes.byte_length;
  params.flags = info[2].ToBoolean() ? UCP_MEM_MAP_NONBLOCK : 0;
  check(env, "ucp", "ucp_mem_map", ucp_mem_map(memory->context->handle, &params, &memory->handle));
  check_status(env, napi_create_reference(env, info[1], 1, &memory->registered));
  if (bytes.handle != nullptr) {  // whoever frees it is told that it is in use
    memory->buffer = bytes.handle;
    hold_buffer(bytes.handle);
    ++bytes.handle->users;
  }
  return adopt(env, memory);
}

// ucpMemBind(memory, object): makes an EngineBuffer object wrap the memory
Napi::Value bind(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  BufferHandle *handle = unwrap<Memory>(info[0])->buffer;
  const auto finalize = [](napi_env, void *data, void *) { release_buffer(static_cast<BufferHandle *>(data)); };
  check_status(env, napi_type_tag_object(env, info[1], &kBufferTag));
  check_status(env, napi_wrap(env, info[1], handle, finalize, nullptr, nullptr));
  hold_buffer(handle);
  return env.Undefined();
}

void detach(Napi::Env env, const Napi::Array &views) {
  for (uint32_t i = 0; i < views.Length(); ++i) {
    const Napi::Value array_buffer = views[i];
    check_status(env, napi_detach_arraybuffer(env, array_buffer));
  }
}

void let_go(Napi::Env env, Memory &memory) {
  const bool was_registered = memory.registered != nullptr;
  if (was_registered) napi_delete_reference(env, std::exchange(memory.registered, nullptr));
  if (memory.buffer == nullptr) return;
  if (was_registered) {
    --memory.buffer->users;
  } else {
    memory.buffer->data = nullptr;
    memory.buffer->byte_length = 0;
  }
  release_buffer(std::exchange(memory.buffer, nullptr));
}

// ucpMemFree(memory, views). EngineBuffer has looked for operations that hold the buffer.
Napi::Value unmap(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto memory = unwrap<Memory>(info[0]);
  require_unused(env, *memory, "ucp_mem_unmap", "the memory is in use", true);
  if (memory->buffer != nullptr && is_in_flight(memory->buffer)) throw in_flight_error(env, *memory, "ucp_mem_unmap");
  detach(env, info[1].As<Napi::Array>());
  const ucs_status_t status = ucp_mem_unmap(memory->context->handle, memory->handle);
  let_go(env, *memory);
  --memory->context->children;
  forget(*memory);
  check(env, "ucp", "ucp_mem_unmap", status);
  return env.Undefined();
}

Napi::Value address(const Napi::CallbackInfo &info) {
  return Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(unwrap<Memory>(info[0])->address));
}

// ucpMemPack(memory): the packed key
Napi::Value pack(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto memory = unwrap<Memory>(info[0]);
  void *packed = nullptr;
  size_t length = 0;
  check(env, "ucp", "ucp_rkey_pack", ucp_rkey_pack(memory->context->handle, memory->handle, &packed, &length));
  const Napi::Value bytes = make_bytes(env, packed, length);
  ucp_rkey_buffer_release(packed);
  return bytes;
}

}  // namespace

void export_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpMemAllocate", Napi::Function::New(env, allocate));
  exports.Set("ucpMemRegister", Napi::Function::New(env, enrol));
  exports.Set("ucpMemBind", Napi::Function::New(env, bind));
  exports.Set("ucpMemFree", Napi::Function::New(env, unmap));
  exports.Set("ucpMemAddress", Napi::Function::New(env, address));
  exports.Set("ucpMemPack", Napi::Function::New(env, pack));
}

}  // namespace fabricbench::ucx::ucp
