// How a call of UCT is posted, and how an operation of one is made. Everything here is inlined into the operation: such
// calls cost 10 ns.
#pragma once

#include <cstring>
#include <utility>

#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {

// Makes progress; gives whether the run was cancelled.
inline bool uct_turn(uct_worker_h worker, Context *context) {
  uct_worker_progress(worker);
  give_way(context);
  return __builtin_expect(is_cancelled(context), 0);
}

// The status of a call that completed with an error, told once.
inline int32_t uct_take_error(UctInFlight *counter) { return std::exchange(counter->completion.status, UCS_OK); }

// Waits until fewer calls than the limit are in flight.
inline int32_t uct_wait_for_place(UctInFlight *counter, uct_worker_h worker, Context *context) {
  while (__builtin_expect(counter->completion.count >= counter->full, 0)) {
    if (uct_turn(worker, context)) return kOperationCancelled;
  }
  if (__builtin_expect(counter->completion.status != UCS_OK, 0)) return uct_take_error(counter);
  return 0;
}

// What all calls have. A call adds `post()`, which gives UCX's status, and says by kLasts whether it may be in flight
// when it returns.
struct UctCall : UctLasting {
  uct_ep_h ep = nullptr;
  UctInFlight *in_flight = nullptr;
  uint32_t posted = 0;
};

// Successful calls between two rounds of progress, as in ucx_perftest.
constexpr uint32_t kProgressEvery = 16;

template <class T>
inline __attribute__((always_inline)) int32_t uct_post(T *call, Context *context) {
  if constexpr (T::kLasts) {
    const int32_t code = uct_wait_for_place(call->in_flight, call->worker, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
  for (;;) {
    const ucs_status_t status = call->post();
    if (__builtin_expect(status == UCS_OK, 1)) {
      if (++call->posted % kProgressEvery == 0) uct_worker_progress(call->worker);
      return 0;
    }
    if constexpr (T::kLasts) {
      if (status == UCS_INPROGRESS) {
        ++call->in_flight->completion.count;
        uct_worker_progress(call->worker);
        return 0;
      }
    }
    if (status != UCS_ERR_NO_RESOURCE) return status;
    if (uct_turn(call->worker, context)) return kOperationCancelled;
  }
}

template <class T>
int32_t uct_execute(Operation *self, Context *context) {
  return uct_post(static_cast<T *>(self), context);
}

// Calls that give a length or a status.
inline ucs_status_t uct_status_of(ssize_t result) { return result >= 0 ? UCS_OK : static_cast<ucs_status_t>(result); }

// A piece of a message. Pieces come from JavaScript as a Float64Array of offsets and lengths.
struct UctPiece {
  const char *data;
  size_t length;
};

// Data in one piece, copied by the transport.
struct UctBytes {
  char *data = nullptr;
  size_t length = 0;
};
struct UctPieces {
  std::vector<UctPiece> pieces;
};

inline size_t uct_pack_bytes(void *to, void *argument) {
  const auto *bytes = static_cast<UctBytes *>(argument);
  memcpy(to, bytes->data, bytes->length);
  return bytes->length;
}

inline size_t uct_pack_pieces(void *to, void *argument) {
  char *at = static_cast<char *>(to);
  for (const UctPiece &piece : static_cast<UctPieces *>(argument)->pieces) {
    memcpy(at, piece.data, piece.length);
    at += piece.length;
  }
  return static_cast<size_t>(at - static_cast<char *>(to));
}

// Arguments of a transfer, as src/ucx/uct-bind.ts gives them: an object of checked values.
class UctRequest {
 public:
  explicit UctRequest(const Napi::CallbackInfo &info) : object_(info[0].As<Napi::Object>()) {}

  Napi::Env env() const { return object_.Env(); }
  Napi::Value get(const char *name) const { return object_.Get(name); }
  bool has(const char *name) const { return !get(name).IsUndefined(); }
  bool flag(const char *name) const { return get(name).As<Napi::Boolean>().Value(); }
  uint64_t number(const char *name) const { return static_cast<uint64_t>(get(name).As<Napi::Number>().Int64Value()); }
  uint64_t word(const char *name) const {
    bool lossless;
    return get(name).As<Napi::BigInt>().Uint64Value(&lossless);
  }
  std::string layout() const { return get("layout").As<Napi::String>().Utf8Value(); }
  template <class T>
  std::shared_ptr<T> box(const char *name) const {
    return uct_unbox<T>(get(name));
  }
  char *data(const char *name) const;
  UctBytes bytes() const { return {data("buffer"), number("length")}; }
  // The pieces without their first `skipped` bytes.
  std::vector<UctPiece> pieces(size_t skipped) const;
  std::vector<uct_iov_t> iov(size_t skipped) const;

 private:
  Napi::Object object_;
};

// Makes the JavaScript function of a call to the request's endpoint; `prepare` fills in what is the call's own. T's
// `execute` may be another function than that of plain posting.
template <class T, int32_t (*kExecute)(Operation *, Context *) = uct_execute<T>, class Prepare>
Napi::Value uct_bind_call(const UctRequest &request, const char *name, Prepare prepare) {
  T *call = new_operation<T>(kUct, name, kExecute);
  try {
    const auto ep = request.box<UctEp>("endpoint");
    call->ep = ep->ep;
    call->worker = ep->iface->worker;
    call->counter = request.box<UctInFlight>("inFlight");
    call->in_flight = call->counter.get();
    call->uses = {ep, call->counter};
    call->counter->sweep();
    if (T::kLasts) call->holds.emplace_back(request.get("buffer"), false);
    prepare(*call);
  } catch (...) {
    delete call;
    throw;
  }
  std::vector<napi_value> holds = {request.get("buffer")};
  if (request.has("memory")) holds.push_back(request.get("memory"));
  return wrap_operation(request.env(), call, holds, detail::call_inlined<kExecute>);
}

}  // namespace fabricbench::ucx
