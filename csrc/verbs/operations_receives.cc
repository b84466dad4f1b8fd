#include "verbs/operations_receives.hpp"

namespace fabricbench::verbs {
namespace {

// Where receives are posted.
struct ToNothing {
  static constexpr bool kPosts = false;
  static int post(RecvLane &, ibv_recv_wr *) { return 0; }
};
struct ToQp {
  static constexpr bool kPosts = true;
  static int post(RecvLane &lane, ibv_recv_wr *first) {
    ibv_recv_wr *bad;
    return errno_of(ibv_post_recv(lane.qp, first, &bad));
  }
};
struct ToSrq {
  static constexpr bool kPosts = true;
  static int post(RecvLane &lane, ibv_recv_wr *first) {
    ibv_recv_wr *bad;
    return errno_of(ibv_post_srq_recv(lane.srq, first, &bad));
  }
};

template <class To>
int32_t take_found(Receives *receives, const ibv_wc &wc) {
  if (__builtin_expect(wc.status != IBV_WC_SUCCESS, 0)) return code_of(wc);
  ++receives->arrived;
  if constexpr (!To::kPosts) return 0;
  RecvLane &lane = receives->lanes[wc.wr_id];
  if (++lane.found < receives->list) return 0;
  lane.found = 0;
  return To::post(lane, lane.chain.data());
}

template <class To>
int poll_once(Receives *receives) {
  ibv_wc *found = receives->found.data();
  const int count = ibv_poll_cq(receives->cq->cq, static_cast<int>(receives->found.size()), found);
  if (__builtin_expect(count < 0, 0)) receives->failure = kPollFailed;
  for (int i = 0; i < count; ++i) {
    const int32_t code = take_found<To>(receives, found[i]);
    if (__builtin_expect(code != 0 && receives->failure == 0, 0)) receives->failure = code;
  }
  return __builtin_expect(receives->failure != 0, 0) ? -1 : count;
}

struct Take : VerbsOperation {
  std::shared_ptr<Receives> receives;
};

// What has arrived is handed out before a failure is told.
template <class To, class Idle>
int32_t execute_take(Operation *self, fabricbench::Context *context) {
  Receives *receives = static_cast<Take *>(self)->receives.get();
  while (receives->arrived == receives->taken) {
    if (__builtin_expect(receives->failure != 0, 0)) return receives->failure;
    if (poll_once<To>(receives) != 0) continue;
    const int32_t code = Idle::turn(receives->queues, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
  ++receives->taken;
  return 0;
}

template <class To>
int32_t execute_test(Operation *self, fabricbench::Context *) {
  Receives *receives = static_cast<Take *>(self)->receives.get();
  if (receives->arrived == receives->taken) {
    if (receives->failure == 0) poll_once<To>(receives);
    if (receives->arrived == receives->taken) return receives->failure != 0 ? receives->failure : kOperationPending;
  }
  ++receives->taken;
  return 0;
}

struct Functions {
  int (*poll)(Receives *);
  Execute take, sleeping, test;
};

template <class To>
constexpr Functions kFunctions = {poll_once<To>, execute_take<To, Spin>, execute_take<To, Sleep>, execute_test<To>};

const Functions &functions_of(const Receives &receives) {
  if (receives.lanes.empty()) return kFunctions<ToNothing>;
  return receives.lanes[0].srq != nullptr ? kFunctions<ToSrq> : kFunctions<ToQp>;
}

RecvLane read_lane(const Request &request, Uses &uses) {
  RecvLane lane;
  if (request.has("srq")) {
    const auto srq = request.object<Srq>("srq", uses);
    lane.srq = srq->srq;
    lane.owner = srq;
  } else {
    const auto qp = request.object<Qp>("qp", uses);
    lane.qp = qp->qp;
    lane.owner = qp;
  }
  lane.sge = read_piece(request, uses);
  return lane;
}

// Work requests point to their neighbours and to their lane, which stays where it is from now on.
void link(RecvLane &lane, uint64_t id, uint32_t list) {
  lane.chain.resize(list);
  for (uint32_t i = 0; i < list; ++i) {
    ibv_recv_wr &wr = lane.chain[i];
    wr.wr_id = id;
    wr.next = i + 1 < list ? &wr + 1 : nullptr;
    set_piece(wr, lane.sge);
  }
}

void fill(Napi::Env env, RecvLane &lane, uint64_t count) {
  if (lane.owner->closed) throw Napi::Error::New(env, "what receives are posted to is destroyed: bind new ones");
  ibv_recv_wr one = lane.chain.front();
  one.next = nullptr;
  const bool shared = lane.srq != nullptr;
  for (uint64_t i = 0; i < count; ++i) {
    const int code = shared ? ToSrq::post(lane, &one) : ToQp::post(lane, &one);
    check(env, shared ? "ibv_post_srq_recv" : "ibv_post_recv", code,
          code == ENOMEM ? "the queue holds no more receives: fill it with fewer, or make it with a greater "
                           "maxRecvWr (of an SRQ: maxWr)"
                         : nullptr);
  }
}

// receivesFill(state, count)
void fill_all(const Napi::CallbackInfo &info) {
  const auto receives = unbox<Receives>(info[0]);
  const auto count = static_cast<uint64_t>(info[1].As<Napi::Number>().Int64Value());
  for (RecvLane &lane : receives->lanes) fill(info.Env(), lane, count);
}

// receivesTaken(state)
Napi::Value taken(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(unbox<Receives>(info[0])->taken));
}

// receivesArrived(state)
Napi::Value arrived(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(unbox<Receives>(info[0])->arrived));
}

// receivesRestart(state)
void restart(const Napi::CallbackInfo &info) {
  const auto receives = unbox<Receives>(info[0]);
  receives->arrived = receives->taken = 0;
}

// bindReceives({cq, wrs, postList, cqePoll, events, holds})
Napi::Value bind(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  return bind_receives(request, read_receives(request));
}

}  // namespace

std::shared_ptr<Receives> read_receives(const Request &request) {
  auto receives = std::make_shared<Receives>();
  receives->cq = request.object<Cq>("cq", receives->uses);
  receives->list = request.number32("postList");
  receives->found.resize(request.number("cqePoll"));
  for (const Request &wr : request.parts("wrs")) receives->lanes.push_back(read_lane(wr, receives->uses));
  uint64_t id = 0;
  for (RecvLane &lane : receives->lanes) link(lane, id++, receives->list);
  receives->queues.add(receives->cq.get());
  receives->poll = functions_of(*receives).poll;
  if (request.flag("events")) expect_events(receives->cq);
  return receives;
}

Napi::Object bind_receives(const Request &request, const std::shared_ptr<Receives> &receives) {
  const Functions &functions = functions_of(*receives);
  const auto wrap = [&](const char *name, Execute execute) {
    return bind_operation<Take>(request, receives->uses, name, execute, [&](Take &take) { take.receives = receives; });
  };
  auto bound = Napi::Object::New(request.env());
  bound.Set("take", wrap("receive", request.flag("events") ? functions.sleeping : functions.take));
  bound.Set("test", wrap("receiveTest", functions.test));
  bound.Set("state", box(request.env(), receives));
  return bound;
}

void register_receives(Napi::Env env, Napi::Object exports) {
  exports.Set("bindReceives", Napi::Function::New(env, bind));
  exports.Set("receivesFill", Napi::Function::New(env, fill_all));
  exports.Set("receivesTaken", Napi::Function::New(env, taken));
  exports.Set("receivesArrived", Napi::Function::New(env, arrived));
  exports.Set("receivesRestart", Napi::Function::New(env, restart));
}

}  // namespace fabricbench::verbs
