// UCP's objects, shared by their JavaScript handles and by the operations bound to them.
//
// Each lives until it is destroyed by name, even where JavaScript has forgotten it: a peer may still write into memory,
// and requests in flight point to counters and endpoints. Nothing is cleaned up at the end of the process.
#pragma once

#include <napi.h>
#include <ucp/api/ucp.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/bytes_js.hpp"

namespace fabricbench::ucx::ucp {

// What is common to all. Objects made from it count in `children` until they are destroyed.
struct Box {
  const char *what;  // "the worker"
  bool gone = false;
  uint32_t children = 0;
  explicit Box(const char *name) : what(name) {}
};

struct UcpContext : Box {
  static constexpr napi_type_tag kTag = {0x6662756370000001, 0x51c0a9d27be3448f};
  UcpContext() : Box("the context") {}
  ucp_context_h handle = nullptr;
  uint64_t features = 0;
};

struct Counter;
struct Handler;

struct Worker : Box {
  static constexpr napi_type_tag kTag = {0x6662756370000002, 0x9ad7314f60b82ec5};
  Worker() : Box("the worker") {}
  std::shared_ptr<UcpContext> context;
  ucp_worker_h handle = nullptr;
  ucs_thread_mode_t thread_mode = UCS_THREAD_MODE_SINGLE;
  int event_fd = -1;              // where the context has WAKEUP
  ucs_status_t failure = UCS_OK;  // of an endpoint of it, until that is closed: whatever waits gives up
  std::vector<std::shared_ptr<Counter>> counters;  // all of them: requests point to them
  std::vector<std::shared_ptr<Handler>> handlers;  // those that are set
};

struct Endpoint : Box {
  static constexpr napi_type_tag kTag = {0x6662756370000003, 0x2be84c9f1d70a635};
  Endpoint() : Box("the endpoint") {}
  std::shared_ptr<Worker> worker;
  ucp_ep_h handle = nullptr;
  ucs_status_t failure = UCS_OK;  // set by UCX's error handler
  size_t surplus = 0;             // bytes of the stream that were taken and that no operation has counted yet
  bool has_stream_channel = false;
};

struct Rkey : Box {
  static constexpr napi_type_tag kTag = {0x6662756370000004, 0xc6530be94a8f7d12};
  Rkey() : Box("the key") {}
  std::shared_ptr<Endpoint> endpoint;
  ucp_rkey_h handle = nullptr;
};

struct Memory : Box {
  static constexpr napi_type_tag kTag = {0x6662756370000005, 0x7f19e2a4b5c8d360};
  Memory() : Box("the memory") {}
  std::shared_ptr<UcpContext> context;
  ucp_mem_h handle = nullptr;
  void *address = nullptr;
  size_t length = 0;
  BufferHandle *buffer = nullptr;  // its engine buffer: one around what UCX allocated, or the one registered, if any
  napi_ref registered = nullptr;   // the value whose memory was registered, where UCX didn't allocate it
};

// JavaScript values that must stay where they are while UCX may use them: strong references, and for engine buffers
// references to the memory. An operation also counts as a user of its engine buffers (see wrap_operation).
class Holds {
 public:
  Holds() = default;
  Holds(Holds &&other) noexcept;
  Holds(const Holds &) = delete;
  Holds &operator=(Holds &&other) noexcept;
  ~Holds() { clear(); }
  void add(napi_env env, napi_value value);
  void clear();
  bool has(const BufferHandle *handle) const;

 private:
  struct One {
    napi_env env;
    napi_ref reference;
    BufferHandle *handle;
  };
  std::vector<One> values_;
};

// True once Node ends: from then on nothing of UCX or Node-API is called.
bool is_ending();
void watch_for_end(napi_env env);

// Keeps an object until it is destroyed.
void keep(std::shared_ptr<Box> box);
// Makes progress on every worker of the process: where it has both sides, one can't end without the other.
void progress_all();
// The error for an object that calls in flight use.
Napi::Error in_flight_error(Napi::Env env, const Box &box, const char *call);
// Throws where operations or children of an object live; `mend` says what to do about the children. With `in_flight`
// also where requests of operations that were released use it.
void require_unused(Napi::Env env, const Box &box, const char *call, const char *mend, bool in_flight = false);
// Marks it as destroyed and lets go of it.
void forget(Box &box);

template <class T>
Napi::Value wrap(Napi::Env env, std::shared_ptr<T> box) {
  auto *owned = new std::shared_ptr<T>(std::move(box));
  const auto finalize = [](Napi::Env, std::shared_ptr<T> *data) { delete data; };
  auto object = Napi::External<std::shared_ptr<T>>::New(env, owned, finalize);
  check_status(env, napi_type_tag_object(env, object, &T::kTag));
  return object;
}

// The object behind a handle that `wrap` made. Throws for anything else, and for what is destroyed.
template <class T>
std::shared_ptr<T> unwrap(const Napi::Value &value) {
  bool tagged = false;
  void *data = nullptr;
  if (value.IsExternal()) check_status(value.Env(), napi_check_object_type_tag(value.Env(), value, &T::kTag, &tagged));
  if (!tagged) throw Napi::TypeError::New(value.Env(), "this is no handle of the right kind");
  check_status(value.Env(), napi_get_value_external(value.Env(), value, &data));
  const auto &box = *static_cast<std::shared_ptr<T> *>(data);
  if (box->gone) throw Napi::Error::New(value.Env(), std::string(box->what) + " was destroyed: make a new one");
  return box;
}

// What one of UCX's functions prints to a stream.
template <class Print>
std::string printed(Print print) {
  char *text = nullptr;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == nullptr) return "";
  print(stream);
  fclose(stream);
  std::string result(text, length);
  free(text);
  return result;
}

inline Napi::Value make_bytes(Napi::Env env, const void *data, size_t length) {
  auto bytes = Napi::Uint8Array::New(env, length);
  if (length > 0) __builtin_memcpy(bytes.Data(), data, length);
  return bytes;
}

inline uint64_t read_uint64(const Napi::Value &value) {
  bool lossless = false;
  return value.As<Napi::BigInt>().Uint64Value(&lossless);
}

inline size_t read_size(const Napi::Value &value) { return static_cast<size_t>(value.As<Napi::Number>().Int64Value()); }

// What each file exports.
void export_context(Napi::Env env, Napi::Object exports);
void export_worker(Napi::Env env, Napi::Object exports);
void export_endpoint(Napi::Env env, Napi::Object exports);
void export_memory(Napi::Env env, Napi::Object exports);
void export_tag(Napi::Env env, Napi::Object exports);
void export_stream(Napi::Env env, Napi::Object exports);
void export_active_messages(Napi::Env env, Napi::Object exports);
void export_remote_memory(Napi::Env env, Napi::Object exports);
void export_waiting(Napi::Env env, Napi::Object exports);
void export_channel(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::ucx::ucp
