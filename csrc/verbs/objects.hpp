// What the JavaScript objects of verbs stand for. Objects and operations share them, so that neither outlives memory
// that the other needs, in whatever order the garbage collector takes them.
//
// Nothing of verbs is closed by the garbage collector: what isn't closed by hand lives as long as the process.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "verbs/verbs.hpp"

namespace fabricbench::verbs {

struct Context {
  ibv_context *context = nullptr;
  std::string device;
  size_t children = 0;  // domains, queues and channels that are open
  bool closed = false;
  bool borrowed = false;  // librdmacm's, which closes it itself
};

// What a context may not be closed before.
struct Child {
  std::shared_ptr<Context> context;
  size_t users = 0;  // other objects and operations that need it
  bool closed = false;
};

struct Pd : Child {
  static constexpr const char *kWhat = "the protection domain";
  ibv_pd *pd = nullptr;
};

struct Mr : Child {
  static constexpr const char *kWhat = "the memory region";
  std::shared_ptr<Pd> pd;
  ibv_mr *mr = nullptr;
  BufferHandle *buffer = nullptr;  // the engine buffer that it registers, held while it is registered
};

struct Channel : Child {
  static constexpr const char *kWhat = "the completion channel";
  ibv_comp_channel *channel = nullptr;
};

struct Cq : Child {
  static constexpr const char *kWhat = "the completion queue";
  ibv_cq *cq = nullptr;
  std::shared_ptr<Channel> channel;  // null: it is polled
  uint32_t unacknowledged = 0;       // events taken and not yet acknowledged
  bool armed = false;                // an event will come with the next completion (operations_wait.hpp)
};

struct Xrcd : Child {
  static constexpr const char *kWhat = "the XRC domain";
  ibv_xrcd *xrcd = nullptr;
};

struct Srq : Child {
  static constexpr const char *kWhat = "the shared receive queue";
  std::shared_ptr<Pd> pd;
  std::shared_ptr<Xrcd> xrcd;
  std::shared_ptr<Cq> cq;
  ibv_srq *srq = nullptr;
  uint32_t number = 0;
};

struct Ah : Child {
  static constexpr const char *kWhat = "the address handle";
  std::shared_ptr<Pd> pd;
  ibv_ah *ah = nullptr;
};

struct Qp : Child {
  static constexpr const char *kWhat = "the queue pair";
  std::shared_ptr<Pd> pd;
  std::shared_ptr<Cq> send_cq, recv_cq;
  std::shared_ptr<Srq> srq;
  std::shared_ptr<Xrcd> xrcd;
  std::shared_ptr<void> cm;              // of librdmacm's connection, which it belongs to
  std::function<int(ibv_qp *)> destroy;  // by whom it is destroyed; empty: by ibv_destroy_qp
  ibv_qp *qp = nullptr;
  ibv_qp_ex *qp_ex = nullptr;  // where ibv_wr_* calls post
  void *dci = nullptr;         // the mlx5dv_qp_ex of a DCI: see set_dc_address
  std::string type;            // as src/verbs names it
  uint32_t max_inline = 0;
};

// An operation of verbs, known while it lives, with the objects that it uses: none of them is closed while one is there
// that hasn't been released.
struct VerbsOperation : Operation {
  std::vector<std::shared_ptr<Child>> uses;

  VerbsOperation();
  ~VerbsOperation();
  VerbsOperation(const VerbsOperation &) = delete;
};

// How many operations use an object; those that were released don't.
size_t operation_users(const Child *object);

// The JavaScript value that stands for an object; only src/verbs sees it.
template <class T>
Napi::Value box(Napi::Env env, std::shared_ptr<T> object) {
  return Napi::External<std::shared_ptr<T>>::New(env, new std::shared_ptr<T>(std::move(object)),
                                                 [](Napi::Env, std::shared_ptr<T> *boxed) { delete boxed; });
}
template <class T>
std::shared_ptr<T> unbox(const Napi::Value &value) {
  return *value.As<Napi::External<std::shared_ptr<T>>>().Data();
}

// Notes that a child is open, or closed.
template <class T>
void opened(T &child, std::shared_ptr<Context> context) {
  child.context = std::move(context);
  ++child.context->children;
}
template <class T>
void closed(T &child) {
  child.closed = true;
  --child.context->children;
}

// Throws an Error unless both counts are 0.
void refuse_used(Napi::Env env, const char *what, const char *verb, size_t objects, size_t operations);

// Throws an Error, naming it, where others use the object. `verb` is what can't be done: "destroyed".
template <class T>
void require_unused(Napi::Env env, const T &child, const char *verb) {
  refuse_used(env, T::kWhat, verb, child.users, operation_users(&child));
}

// Makes a queue pair of `options` (NativeQp of src/verbs/native-types.ts) in states that the caller sees to. `create`
// makes it of the attributes, or returns null with errno set; it may be called several times, for less is asked for
// where the device has no ibv_wr_* calls or can't carry as much inline. `call` names it in errors. `destroy_by`
// destroys what it made (empty: ibv_destroy_qp).
std::shared_ptr<Qp> make_qp(Napi::Env env, const std::shared_ptr<Pd> &pd, const Napi::Object &options,
                            const std::function<ibv_qp *(ibv_qp_init_attr_ex *)> &create, const char *call,
                            const std::function<int(ibv_qp *)> &destroy_by = {});

// Where the next work request of a DCI goes: for posting by ibv_wr_* calls.
void set_dc_address(Qp &qp, ibv_ah *ah, uint32_t number, uint64_t key);

}  // namespace fabricbench::verbs
