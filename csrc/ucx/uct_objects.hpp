// What UCT's JavaScript objects stand for. Objects and operations share them, so that neither outlives memory that the
// other needs, in whatever order the garbage collector takes them.
//
// Nothing of UCX is closed by the garbage collector or at the end of the process: a peer may still use it. What isn't
// closed by hand lives as long as the process, as MPI's handles do.
#pragma once

#include <uct/api/uct.h>

#include <memory>
#include <string>
#include <vector>

#include "ucx/ucs.hpp"

namespace fabricbench::ucx {

constexpr const char *kUct = "uct";

struct UctIface {
  std::string name;  // e.g. posix/memory
  uct_component_h component = nullptr;
  ucs_async_context_t *async = nullptr;
  uct_worker_h worker = nullptr;
  uct_md_h md = nullptr;
  uct_iface_h iface = nullptr;
  uct_md_attr_t md_attributes = {};
  uct_iface_attr_t attributes = {};
  uint64_t handlers = 0;  // bits of active message ids in use
  size_t children = 0;    // endpoints, keys, memory and handlers that are open
  bool closed = false;
};

// What an interface may not be closed before.
struct UctChild {
  std::shared_ptr<UctIface> iface;
  std::shared_ptr<void> itself;  // while the interface refers to it
  bool closed = false;
};

struct UctEp : UctChild {
  static constexpr const char *kWhat = "the endpoint";
  uct_ep_h ep = nullptr;
  size_t channels = 0;  // laid over it
};

struct UctRkey : UctChild {
  static constexpr const char *kWhat = "the remote key";
  uct_rkey_bundle_t bundle = {};
};

struct UctMemory : UctChild {
  static constexpr const char *kWhat = "the memory";
  uct_allocated_memory_t memory = {};
  BufferHandle *handle = nullptr;  // of the engine buffer that shows it
};

// Keeps a JavaScript value, and counts as a user of the engine buffer behind it where `uses` says so.
class UctHold {
 public:
  UctHold(Napi::Value value, bool uses);
  UctHold(UctHold &&other) noexcept;
  UctHold(const UctHold &) = delete;
  UctHold &operator=(UctHold &&) = delete;
  ~UctHold();

 private:
  napi_env env_;
  napi_ref reference_ = nullptr;
  BufferHandle *handle_ = nullptr;
};

using UctHolds = std::vector<UctHold>;

// Calls in flight. UCX counts down from the completion's count, which is one more so that it never calls back.
struct UctInFlight {
  std::shared_ptr<UctIface> iface;
  uct_completion_t completion = {};
  int full = 0;        // value of completion.count with as many in flight as may be
  UctHolds leftovers;  // buffers of operations that are gone, while anything is in flight

  bool idle() const { return completion.count == 1; }
  void sweep() {
    if (idle()) leftovers.clear();
  }
};

// Counts messages, and copies them where it has a place.
struct UctMessages : UctChild {
  static constexpr const char *kWhat = "the handler of messages";
  uint64_t arrived = 0;
  uint64_t awaited = 0;  // messages that amReceive has waited for
  void *into = nullptr;
  size_t capacity = 0;
  uint8_t id = 0;
  UctHolds holds;
};

struct UctPacing : UctChild {
  static constexpr const char *kWhat = "the pacing";
  uint64_t sent = 0;
  uint64_t acknowledged = 0;
  int64_t window = 0;
  uint8_t id = 0;
};

// An operation of UCT, known while it lives.
struct UctOperation : Operation {
  uct_worker_h worker = nullptr;
  std::vector<std::shared_ptr<void>> uses;

  UctOperation();
  ~UctOperation();
  UctOperation(const UctOperation &) = delete;
};

// An operation whose calls may be in flight when it is gone: its buffers are then kept by the counter.
struct UctLasting : UctOperation {
  std::shared_ptr<UctInFlight> counter;
  UctHolds holds;
  ~UctLasting();
};

// How many operations use an object; those that were released don't.
size_t uct_users(const void *object);

// Throws an Error, naming `what`, where operations use the object. `verb` is what can't be done: "destroyed".
void uct_require_unused(Napi::Env env, const void *object, const std::string &what, const char *verb);

// Notes that a child is open, or closed.
template <class T>
void uct_opened(T &child, std::shared_ptr<UctIface> iface) {
  child.iface = std::move(iface);
  ++child.iface->children;
}
template <class T>
void uct_closed(T &child) {
  child.closed = true;
  child.itself.reset();
  --child.iface->children;
}

// Sets the handler of an active message id, which nobody else may use meanwhile; throws RangeError where one does.
void uct_take_id(Napi::Env env, UctIface &iface, uint8_t id, uct_am_callback_t handler, void *argument);
void uct_leave_id(UctIface &iface, uint8_t id);

// The JavaScript value that stands for an object; only src/ucx/uct*.ts sees it.
template <class T>
Napi::Value uct_box(Napi::Env env, std::shared_ptr<T> object) {
  return Napi::External<std::shared_ptr<T>>::New(env, new std::shared_ptr<T>(std::move(object)),
                                                 [](Napi::Env, std::shared_ptr<T> *boxed) { delete boxed; });
}
template <class T>
std::shared_ptr<T> uct_unbox(const Napi::Value &value) {
  return *value.As<Napi::External<std::shared_ptr<T>>>().Data();
}

inline void uct_check(Napi::Env env, const char *call, ucs_status_t status) { check(env, kUct, call, status); }

// Parts of the registration; each is one file.
void register_uct_resources(Napi::Env env, Napi::Object exports);
void register_uct_attributes(Napi::Env env, Napi::Object exports);
void register_uct_iface(Napi::Env env, Napi::Object exports);
void register_uct_memory(Napi::Env env, Napi::Object exports);
void register_uct_messages(Napi::Env env, Napi::Object exports);
void register_uct_am(Napi::Env env, Napi::Object exports);
void register_uct_rma(Napi::Env env, Napi::Object exports);
void register_uct_atomic(Napi::Env env, Napi::Object exports);
void register_uct_waits(Napi::Env env, Napi::Object exports);
void register_uct_channel(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::ucx
