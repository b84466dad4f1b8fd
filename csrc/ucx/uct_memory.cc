// Memory that an interface allocates, and counters of calls in flight.
#include <cstring>

#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {
namespace {

// uctMemAlloc(iface, length, nonBlocking)
Napi::Value mem_alloc(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  const auto length = static_cast<size_t>(info[1].As<Napi::Number>().Int64Value());
  const unsigned extra = info[2].As<Napi::Boolean>().Value() ? UCT_MD_MEM_FLAG_NONBLOCK : 0;
  auto memory = std::make_shared<UctMemory>();
  uct_check(info.Env(), "uct_iface_mem_alloc",
            uct_iface_mem_alloc(iface->iface, length, UCT_MD_MEM_ACCESS_ALL | extra, "fabricbench", &memory->memory));
  memset(memory->memory.address, 0, length);  // no page fault in a timed part
  uct_opened(*memory, iface);
  return uct_box(info.Env(), memory);
}

void finalize_handle(napi_env, void *data, void *) { release_buffer(static_cast<BufferHandle *>(data)); }

// uctMemBind(memory, object, length): makes an EngineBuffer show it
void mem_bind(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto memory = uct_unbox<UctMemory>(info[0]);
  const auto length = static_cast<size_t>(info[2].As<Napi::Number>().Int64Value());
  const auto destroy = [](BufferHandle *handle) { delete handle; };
  memory->handle =
      new BufferHandle{kBufferVersion, sizeof(BufferHandle), memory->memory.address, length, 0, 1, destroy};
  check_status(env, napi_type_tag_object(env, info[1], &kBufferTag));
  check_status(env, napi_wrap(env, info[1], memory->handle, finalize_handle, nullptr, nullptr));
  hold_buffer(memory->handle);
}

// uctMemFree(memory, views): the caller has checked that nobody uses it
void mem_free(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto memory = uct_unbox<UctMemory>(info[0]);
  if (memory->closed) return;
  const auto views = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < views.Length(); ++i) {
    const Napi::Value array_buffer = views[i];
    check_status(env, napi_detach_arraybuffer(env, array_buffer));
  }
  memory->handle->data = nullptr;
  memory->handle->byte_length = 0;
  release_buffer(memory->handle);
  uct_iface_mem_free(&memory->memory);
  uct_closed(*memory);
}

// uctMemAddress(memory)
Napi::Value mem_address(const Napi::CallbackInfo &info) {
  return Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(uct_unbox<UctMemory>(info[0])->memory.address));
}

// uctMemKey(memory)
Napi::Value mem_key(const Napi::CallbackInfo &info) {
  const auto memory = uct_unbox<UctMemory>(info[0]);
  const uct_md_attr_t &md = memory->iface->md_attributes;
  const bool has_key = (md.cap.flags & (UCT_MD_FLAG_ALLOC | UCT_MD_FLAG_REG)) != 0;
  std::vector<uint8_t> packed(md.rkey_packed_size + 1);
  if (has_key) {
    uct_check(info.Env(), "uct_md_mkey_pack", uct_md_mkey_pack(memory->iface->md, memory->memory.memh, packed.data()));
  }
  Napi::Uint8Array key = Napi::Uint8Array::New(info.Env(), has_key ? md.rkey_packed_size : 0);
  memcpy(key.Data(), packed.data(), key.ByteLength());
  return key;
}

// uctInFlight(iface, limit)
Napi::Value in_flight(const Napi::CallbackInfo &info) {
  // UCX writes into it while calls are in flight: then it stays, whoever has forgotten it.
  std::shared_ptr<UctInFlight> counter(new UctInFlight(), [](UctInFlight *forgotten) {
    if (forgotten->idle()) delete forgotten;
  });
  counter->iface = uct_unbox<UctIface>(info[0]);
  counter->completion.count = 1;
  counter->completion.status = UCS_OK;
  counter->full = static_cast<int>(info[1].As<Napi::Number>().Int32Value()) + 1;
  return uct_box(info.Env(), counter);
}

// uctInFlightCount(counter)
Napi::Value in_flight_count(const Napi::CallbackInfo &info) {
  const auto counter = uct_unbox<UctInFlight>(info[0]);
  counter->sweep();
  return Napi::Number::New(info.Env(), counter->completion.count - 1);
}

}  // namespace

void register_uct_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("uctMemAlloc", Napi::Function::New(env, mem_alloc));
  exports.Set("uctMemBind", Napi::Function::New(env, mem_bind));
  exports.Set("uctMemFree", Napi::Function::New(env, mem_free));
  exports.Set("uctMemAddress", Napi::Function::New(env, mem_address));
  exports.Set("uctMemKey", Napi::Function::New(env, mem_key));
  exports.Set("uctInFlight", Napi::Function::New(env, in_flight));
  exports.Set("uctInFlightCount", Napi::Function::New(env, in_flight_count));
}

}  // namespace fabricbench::ucx
