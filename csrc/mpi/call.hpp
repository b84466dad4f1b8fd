// One MPI call, written once: the immediate form runs it at once, the bound form makes an engine operation of it.
//
// A call is a struct whose constructor reads its arguments and whose `run` is the bare MPI call:
//
//   struct Barrier {
//     MPI_Comm comm;
//     Blocking completion;
//     explicit Barrier(Arguments &a) : comm(a.comm()), completion(a) {}
//     int run() { return MPI_Barrier(comm); }
//   };
//   register_call<Barrier>(env, exports, "Barrier");
//
// Optional members: `result(env)` gives what the immediate form returns; `settle()` runs after it, whatever its code;
// `detail(code)` adds to MPI's text what only the call knows, and may put the true cause in place of the code.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "engine/operation_js.hpp"
#include "status.hpp"

namespace fabricbench::mpi {

// How a call ends. The last member of a call, since it reads the last arguments.

// With the call itself.
struct Blocking {
  explicit Blocking(Arguments &) {}
  template <auto kFunction, class... Parameters>
  int call(Parameters... parameters) {
    return kFunction(parameters...);
  }
  Napi::Value result(Napi::Env env) const { return env.Undefined(); }
};

// With the call itself, and a status: returned by the immediate form, not asked for by the bound one.
struct BlockingWithStatus {
  explicit BlockingWithStatus(Arguments &a) : wanted(a.wants_status() ? &storage : MPI_STATUS_IGNORE) {}
  BlockingWithStatus(const BlockingWithStatus &) = delete;
  template <auto kFunction, class... Parameters>
  int call(Parameters... parameters) {
    return kFunction(parameters..., wanted);
  }
  Napi::Value result(Napi::Env env) const {
    return wanted == &storage ? make_status(env, storage) : Napi::Value(env.Undefined());
  }
  MPI_Status storage{};
  MPI_Status *wanted;
};

// Later: the call puts a request into a slot.
struct Nonblocking {
  explicit Nonblocking(Arguments &a) {
    const Slot start = a.start();
    box = start.box.get();
    slot = &box->slots[start.index];
  }
  template <auto kFunction, class... Parameters>
  int call(Parameters... parameters) {
    // Not a mode: a request overwritten while active would leave its buffer unguarded.
    if (__builtin_expect(*slot != MPI_REQUEST_NULL, 0)) return kSlotBusy;
    box->activity.active = true;
    return kFunction(parameters..., slot);
  }
  Requests *box;
  MPI_Request *slot;
};

// Not at all: the call makes a persistent request.
struct Persistent : Nonblocking {
  using Nonblocking::Nonblocking;
  template <auto kFunction, class... Parameters>
  int call(Parameters... parameters) {
    const int code = Nonblocking::call<kFunction>(parameters...);
    if (code == MPI_SUCCESS) box->make_persistent(static_cast<int>(slot - box->slots.get()));
    return code;
  }
};

#if FB_HAS_PERSISTENT_COLLECTIVES
// Likewise, for a collective call: C binds an MPI_Info before the request.
struct PersistentCollective : Persistent {
  using Persistent::Persistent;
  template <auto kFunction, class... Parameters>
  int call(Parameters... parameters) {
    return Persistent::call<kFunction>(parameters..., MPI_INFO_NULL);
  }
};
#endif

// The name of a call, set when it is registered.
template <class T>
struct NameOf {
  static inline const char *value = "";
};

// A bound call, whatever its type. It has the Operation in front, and in the engine's eyes is nothing else.
struct BoundCall : Operation {
  std::vector<std::shared_ptr<void>> uses;      // the boxes of its handles
  std::vector<std::shared_ptr<Keeper>> starts;  // request arrays and windows in which it starts something
  Holds holds;                                  // what must outlive its function while those are in use
  LifeOf life;                                  // of its communicator; null where it has none

  void (*free)(BoundCall *self) = nullptr;  // deletes it as what it is

  explicit BoundCall(const char *name);
  BoundCall(const BoundCall &) = delete;

  // From now on `execute` only returns `code`: kHandleFreed, kFinalized or kSessionOver.
  void disable(int code);

 protected:
  ~BoundCall();
};

struct FreeBound {
  void operator()(BoundCall *call) const { call->free(call); }
};

// Disables every bound call that uses a box, when its handle is freed.
void disable_users(const void *box);
// Disables all that belong to a life of MPI, when it ends.
void disable_life(const Life &life, int code);
// Disables all, when nothing of MPI lives any more.
void disable_all(int code);
// Makes the JavaScript function of a bound call, which calls `callback`.
Napi::Value wrap_bound(Napi::Env env, std::unique_ptr<BoundCall, FreeBound> call, Arguments &arguments,
                       napi_callback callback);

namespace detail {

template <class T>
struct Bound final : BoundCall {
  T call;
  explicit Bound(Arguments &a) : BoundCall(NameOf<T>::value), call(a) {
    free = [](BoundCall *self) { delete static_cast<Bound *>(self); };
    execute = run;
  }
  static int32_t run(Operation *self, Context *) {
    return static_cast<Bound *>(static_cast<BoundCall *>(self))->call.run();
  }
};

// What a call in flight keeps.
template <class T>
struct InFlight {
  T call;
  Holds holds;
};

template <class T, class = void>
struct has_settle : std::false_type {};
template <class T>
struct has_settle<T, std::void_t<decltype(std::declval<T &>().settle())>> : std::true_type {};

template <class T, class = void>
struct has_detail : std::false_type {};
template <class T>
struct has_detail<T, std::void_t<decltype(std::declval<T &>().detail(std::declval<int &>()))>> : std::true_type {};

template <class T, class = void>
struct has_result : std::false_type {};
template <class T>
struct has_result<T, std::void_t<decltype(std::declval<T &>().result(std::declval<Napi::Env>()))>> : std::true_type {};

template <class T, class = void>
struct is_nonblocking : std::false_type {};
template <class T>
struct is_nonblocking<T, std::void_t<decltype(std::declval<T &>().completion.slot)>> : std::true_type {};

template <class T, class = void>
struct is_synchronised : std::false_type {};
template <class T>
struct is_synchronised<T, std::void_t<decltype(std::declval<T &>().completion.win)>> : std::true_type {};

template <class T>
void require_success(Napi::Env env, T &call, int code) {
  if (code == MPI_SUCCESS) return;
  std::string detail;
  if constexpr (has_detail<T>::value) detail = call.detail(code);
  fail(env, NameOf<T>::value, code, detail);
}

template <class T>
Napi::Value run_immediate(const Napi::CallbackInfo &info) {
  Arguments arguments(info, NameOf<T>::value, Form::kImmediate);
  T call(arguments);
  arguments.done();
  if constexpr (is_nonblocking<T>::value) {
    // References first: nothing may fail once MPI has the buffer.
    Holds holds = arguments.hold();
    require_success(info.Env(), call, call.run());
    const Slot &slot = arguments.started().front();
    slot.box->keep(slot.index, std::make_shared<InFlight<T>>(InFlight<T>{std::move(call), std::move(holds)}));
    return arguments.request_object();
  } else if constexpr (is_synchronised<T>::value) {
    Holds holds = arguments.hold();
    auto *win = call.completion.win;
    win->release_complete();
    require_success(info.Env(), call, call.run());
    win->keep_until_idle(std::make_shared<InFlight<T>>(InFlight<T>{std::move(call), std::move(holds)}));
    return info.Env().Undefined();
  } else {
    const int code = call.run();
    if constexpr (has_settle<T>::value) call.settle();
    require_success(info.Env(), call, code);
    if constexpr (has_result<T>::value) {
      return call.result(info.Env());
    } else {
      return call.completion.result(info.Env());
    }
  }
}

template <class T>
Napi::Value bind(const Napi::CallbackInfo &info) {
  Arguments arguments(info, NameOf<T>::value, Form::kBound);
  std::unique_ptr<BoundCall, FreeBound> call(new Bound<T>(arguments));
  arguments.done();
  return wrap_bound(info.Env(), std::move(call), arguments, fabricbench::detail::call_inlined<Bound<T>::run>);
}

}  // namespace detail

// Where calls are registered: `exports` takes the immediate forms, `bind` the bound ones.
struct Registry {
  Napi::Env env;
  Napi::Object exports;
  Napi::Object bind;

  // Defines both forms of a call. `name` is MPI's, with its prefix, and a literal.
  template <class T>
  void add(const char *name) {
    NameOf<T>::value = name;
    const char *short_name = name + 4;
    exports.Set(short_name, Napi::Function::New<detail::run_immediate<T>>(env, short_name));
    bind.Set(short_name, Napi::Function::New<detail::bind<T>>(env, short_name));
  }
  // Defines the bound form alone, for calls that MPI has not.
  template <class T>
  void add_bound(const char *name) {
    NameOf<T>::value = name;
    bind.Set(name + 4, Napi::Function::New<detail::bind<T>>(env, name + 4));
  }
  // A plain function of Node, for what is never timed.
  template <Napi::Value (*kFunction)(const Napi::CallbackInfo &)>
  void function(const char *name) {
    exports.Set(name, Napi::Function::New<kFunction>(env, name));
  }
};

}  // namespace fabricbench::mpi
