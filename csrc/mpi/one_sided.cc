// One-sided calls: communication, and the synchronisation that completes it.
#include <utility>

#include "register.hpp"
#include "windows.hpp"

namespace fabricbench::mpi {
namespace {

// (target_rank, target_disp, target_count, target_datatype): the other side of a call.
struct Target {
  int rank;
  MPI_Aint displacement;
  int64_t count;
  std::shared_ptr<Datatype> box;
  Data data;
  explicit Target(Arguments &a)
      : rank(a.integer("target_rank")),
        displacement(static_cast<MPI_Aint>(a.count("target_disp"))),
        count(a.count("target_count")),
        box(a.shared_handle<Datatype>("target_datatype")),
        data(a.elements(count, *box)) {}
  void require_in(const Arguments &a, const Win &win) const { win.require_target(a, rank, displacement, *box, count); }
};

// (win): read last but for a request, when the target is known.
struct Window {
  std::shared_ptr<Win> box;
  MPI_Win value;
  Window(Arguments &a, const Target &target) : box(a.shared_handle<Win>("win")), value(box->value) {
    target.require_in(a, *box);
  }
};

// (origin_addr, origin_count, origin_datatype, target..., win [, request]): Put, Get
template <auto kFunction, class Completion>
struct TransferCall {
  Data origin;
  Target target;
  Window win;
  Completion completion;
  explicit TransferCall(Arguments &a)
      : origin(a.data("origin_addr")), target(a), win(a, target), completion(a, win.box, target.rank) {}
  int run() {
    return completion.template call<kFunction>(origin.buffer, origin.count, origin.type, target.rank,
                                               target.displacement, target.data.count, target.data.type, win.value);
  }
};

// (origin_addr, origin_count, origin_datatype, target..., op, win [, request])
template <auto kFunction, class Completion>
struct AccumulateCall {
  Data origin;
  Target target;
  MPI_Op op;
  Window win;
  Completion completion;
  explicit AccumulateCall(Arguments &a)
      : origin(a.data("origin_addr")),
        target(a),
        op(a.handle<Op>("op").value),
        win(a, target),
        completion(a, win.box, target.rank) {}
  int run() {
    return completion.template call<kFunction>(origin.buffer, origin.count, origin.type, target.rank,
                                               target.displacement, target.data.count, target.data.type, op, win.value);
  }
};

// MPI looks at no origin where the operation is NO_OP.
Data fit_origin(Arguments &a, const RawData &raw, MPI_Op op) { return op == MPI_NO_OP ? a.ignored(raw) : a.fit(raw); }

// (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target..., op, win
// [, request])
template <auto kFunction, class Completion>
struct GetAccumulateCall {
  RawData raw_origin;
  Data result_data;
  Target target;
  MPI_Op op;
  Window win;
  Completion completion;
  Data origin;
  explicit GetAccumulateCall(Arguments &a)
      : raw_origin(a.raw("origin_addr")),
        result_data(a.data("result_addr")),
        target(a),
        op(a.handle<Op>("op").value),
        win(a, target),
        completion(a, win.box, target.rank),
        origin(fit_origin(a, raw_origin, op)) {}
  int run() {
    return completion.template call<kFunction>(origin.buffer, origin.count, origin.type, result_data.buffer,
                                               result_data.count, result_data.type, target.rank, target.displacement,
                                               target.data.count, target.data.type, op, win.value);
  }
};

// One element at the target, and buffers of one element here.
struct OneElement {
  std::shared_ptr<Datatype> box;
  int rank;
  MPI_Aint displacement;
  explicit OneElement(Arguments &a)
      : box(a.shared_handle<Datatype>("datatype")),
        rank(a.integer("target_rank")),
        displacement(static_cast<MPI_Aint>(a.count("target_disp"))) {}
  void *fit(Arguments &a, RawData raw) const {
    raw.count = 1;
    raw.type = box;
    return a.fit(raw).buffer;
  }
  std::shared_ptr<Win> window(Arguments &a) const {
    auto win = a.shared_handle<Win>("win");
    box->measure(a.env(), a.call());
    win->require_target(a, rank, displacement, *box, 1);
    return win;
  }
};

// (origin_addr, result_addr, datatype, target_rank, target_disp, op, win)
struct FetchAndOp {
  RawData raw_origin, raw_result;
  OneElement element;
  MPI_Op op;
  std::shared_ptr<Win> win;
  Synchronised completion;
  const void *origin;
  void *result_address;
  explicit FetchAndOp(Arguments &a)
      : raw_origin(a.buffer("origin_addr")),
        raw_result(a.buffer("result_addr")),
        element(a),
        op(a.handle<Op>("op").value),
        win(element.window(a)),
        completion(a, win, element.rank),
        origin(op == MPI_NO_OP ? nullptr : element.fit(a, raw_origin)),
        result_address(element.fit(a, raw_result)) {}
  int run() {
    return completion.call<MPI_Fetch_and_op>(origin, result_address, element.box->value, element.rank,
                                             element.displacement, op, win->value);
  }
};

// (origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win)
struct CompareAndSwap {
  RawData raw_origin, raw_compare, raw_result;
  OneElement element;
  std::shared_ptr<Win> win;
  Synchronised completion;
  const void *origin, *compare;
  void *result_address;
  explicit CompareAndSwap(Arguments &a)
      : raw_origin(a.buffer("origin_addr")),
        raw_compare(a.buffer("compare_addr")),
        raw_result(a.buffer("result_addr")),
        element(a),
        win(element.window(a)),
        completion(a, win, element.rank),
        origin(element.fit(a, raw_origin)),
        compare(element.fit(a, raw_compare)),
        result_address(element.fit(a, raw_result)) {}
  int run() {
    return completion.call<MPI_Compare_and_swap>(origin, compare, result_address, element.box->value, element.rank,
                                                 element.displacement, win->value);
  }
};

// (origin_addr, count, datatype, target_rank, base, stride, window, win): `window` Puts or Gets in one operation. Call
// i works on the i-th `count` elements of the origin, and at the displacement base + i * stride.
template <auto kFunction>
struct TransferWindowCall {
  RawData raw;
  int rank;
  MPI_Aint base, stride;
  int window;
  std::shared_ptr<Win> box;
  Synchronised completion;
  Data data;
  MPI_Win win;
  int64_t step;  // bytes between two calls' elements

  explicit TransferWindowCall(Arguments &a)
      : raw(a.raw("origin_addr")),
        rank(a.integer("target_rank")),
        base(static_cast<MPI_Aint>(a.count("base"))),
        stride(static_cast<MPI_Aint>(a.count("stride"))),
        window(a.integer("window")),
        box(a.shared_handle<Win>("win")),
        completion(a, box, rank),
        win(box->value) {
    if (window < 1) a.refuse_range("window must be at least 1, not " + std::to_string(window));
    data = a.fit(raw, window);
    step = raw.count * raw.type->extent;
    MPI_Aint last = 0;
    if (__builtin_mul_overflow(stride, static_cast<MPI_Aint>(window - 1), &last) ||
        __builtin_add_overflow(base, last, &last)) {
      a.refuse_range("stride is too large");
    }
    for (const MPI_Aint place : {base, last}) box->require_target(a, rank, place, *raw.type, raw.count);
  }

  // What the loop needs stands in registers, and the window hears of it once: a put takes little longer than that.
  int run() {
    char *origin = static_cast<char *>(data.buffer);
    MPI_Aint place = base;
    const MPI_Aint distance = stride;
    const int64_t elements = step;
    const int count = data.count, target = rank;
    const MPI_Datatype type = data.type;
    const MPI_Win on = win;
    for (int left = window; left > 0; --left) {
      const int code = kFunction(origin, count, type, target, place, count, type, on);
      if (__builtin_expect(code != MPI_SUCCESS, 0)) {
        if (left < window) completion.note();
        return code;
      }
      origin += elements;
      place += distance;
    }
    completion.note();
    return MPI_SUCCESS;
  }
};

// What synchronising calls have in common.
struct Synchronisation {
  std::shared_ptr<Win> box;
  MPI_Win win;
  explicit Synchronisation(Arguments &a) : box(a.shared_handle<Win>("win")), win(box->value) {}
  void settle() { box->release_complete(); }
  Napi::Value result(Napi::Env env) const { return env.Undefined(); }
  // Runs what completes everything on the window, unless `ends` is 0. The epoch ends first: what another thread starts
  // meanwhile may be left in flight.
  template <class Call>
  int completing(uint64_t ends, Call call) {
    box->epoch += ends;
    const int code = call();
    if (__builtin_expect(code != MPI_SUCCESS, 0)) box->epoch -= ends;
    return code;
  }
};

// (lock_type, rank, assert, win)
struct Lock {
  int type, rank, assertion;
  Synchronisation sync;
  Blocking completion;
  explicit Lock(Arguments &a)
      : type(a.integer("lock_type")), rank(a.integer("rank")), assertion(a.integer("assert")), sync(a), completion(a) {}
  int run() { return MPI_Win_lock(type, rank, assertion, sync.win); }
};

// (assert, win)
struct LockAll {
  int assertion;
  Synchronisation sync;
  Blocking completion;
  explicit LockAll(Arguments &a) : assertion(a.integer("assert")), sync(a), completion(a) {}
  int run() { return MPI_Win_lock_all(assertion, sync.win); }
};

// (rank, win): completes what went to one rank.
template <auto kFunction>
struct CompleteOneCall : Synchronisation {
  int rank;
  uint64_t *pending;
  explicit CompleteOneCall(Arguments &a) : CompleteOneCall(a, a.integer("rank")) {}
  CompleteOneCall(Arguments &a, int target) : Synchronisation(a), rank(target), pending(box->pending_at(target)) {}
  int run() {
    const uint64_t before = *pending;
    *pending = 0;
    const int code = kFunction(rank, win);
    if (__builtin_expect(code != MPI_SUCCESS, 0)) *pending = before;
    return code;
  }
};

// (win): completes what went to all ranks.
template <auto kFunction>
struct CompleteAllCall : Synchronisation {
  using Synchronisation::Synchronisation;
  int run() {
    return completing(1, [this] { return kFunction(win); });
  }
};

// (assert, win): completes all, unless it is said that there is nothing.
struct Fence : Synchronisation {
  int assertion;
  uint64_t ends;
  explicit Fence(Arguments &a) : Fence(a, a.integer("assert")) {}
  Fence(Arguments &a, int given)
      : Synchronisation(a), assertion(given), ends((given & MPI_MODE_NOPRECEDE) == 0 ? 1 : 0) {}
  int run() {
    return completing(ends, [this] { return MPI_Win_fence(assertion, win); });
  }
};

// (group, assert, win): Post, Start
template <auto kFunction>
struct GroupCall {
  MPI_Group group;
  int assertion;
  Synchronisation sync;
  Blocking completion;
  explicit GroupCall(Arguments &a)
      : group(a.handle<Group>("group").value), assertion(a.integer("assert")), sync(a), completion(a) {}
  int run() { return kFunction(group, assertion, sync.win); }
};

// (win): Wait, Sync, which complete nothing of this side's own.
template <auto kFunction>
struct WindowOnlyCall : Synchronisation {
  using Synchronisation::Synchronisation;
  int run() { return kFunction(win); }
};

// (win): whether the exposure epoch is over.
struct Test : Synchronisation {
  using Synchronisation::Synchronisation;
  int flag = 0;
  int run() { return MPI_Win_test(win, &flag); }
  Napi::Value result(Napi::Env env) const { return Napi::Boolean::New(env, flag != 0); }
};

void register_communication(Registry &r) {
  r.add<TransferCall<MPI_Put, Synchronised>>("MPI_Put");
  r.add<TransferCall<MPI_Get, Synchronised>>("MPI_Get");
  r.add<TransferCall<MPI_Rput, Requested>>("MPI_Rput");
  r.add<TransferCall<MPI_Rget, Requested>>("MPI_Rget");
  r.add<AccumulateCall<MPI_Accumulate, Synchronised>>("MPI_Accumulate");
  r.add<AccumulateCall<MPI_Raccumulate, Requested>>("MPI_Raccumulate");
  r.add<GetAccumulateCall<MPI_Get_accumulate, Synchronised>>("MPI_Get_accumulate");
  r.add<GetAccumulateCall<MPI_Rget_accumulate, Requested>>("MPI_Rget_accumulate");
  r.add<FetchAndOp>("MPI_Fetch_and_op");
  r.add<CompareAndSwap>("MPI_Compare_and_swap");
  r.add_bound<TransferWindowCall<MPI_Put>>("MPI_PutWindow");
  r.add_bound<TransferWindowCall<MPI_Get>>("MPI_GetWindow");
}

void register_synchronisation(Registry &r) {
  r.add<Lock>("MPI_Win_lock");
  r.add<LockAll>("MPI_Win_lock_all");
  r.add<CompleteOneCall<MPI_Win_unlock>>("MPI_Win_unlock");
  r.add<CompleteAllCall<MPI_Win_unlock_all>>("MPI_Win_unlock_all");
  r.add<CompleteOneCall<MPI_Win_flush>>("MPI_Win_flush");
  r.add<CompleteOneCall<MPI_Win_flush_local>>("MPI_Win_flush_local");
  r.add<CompleteAllCall<MPI_Win_flush_all>>("MPI_Win_flush_all");
  r.add<CompleteAllCall<MPI_Win_flush_local_all>>("MPI_Win_flush_local_all");
  r.add<Fence>("MPI_Win_fence");
  r.add<GroupCall<MPI_Win_post>>("MPI_Win_post");
  r.add<GroupCall<MPI_Win_start>>("MPI_Win_start");
  r.add<CompleteAllCall<MPI_Win_complete>>("MPI_Win_complete");
  r.add<WindowOnlyCall<MPI_Win_wait>>("MPI_Win_wait");
  r.add<Test>("MPI_Win_test");
  r.add<WindowOnlyCall<MPI_Win_sync>>("MPI_Win_sync");
}

}  // namespace

void register_one_sided(Registry &r) {
  register_communication(r);
  register_synchronisation(r);
}

}  // namespace fabricbench::mpi
