// A queue pair that does next to nothing, and a plain C loop that posts to it: what the engine's own loop costs shows
// as the difference. The queue pair counts, and remembers what is signaled, so that neither loop can be optimised away.
#include "engine/clock.h"
#include "mock.hpp"
#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs::mock {
namespace {

constexpr uint64_t kRing = 1 << 14;  // at least as many as may be signaled and not polled yet

struct Fast {
  ibv_context context = {};
  ibv_cq cq = {};
  ibv_qp_ex qp = {};
  uint64_t head = 0, tail = 0;  // of the ring
  uint64_t posted = 0;
  uint64_t sum = 0;  // of what was looked at
  uint64_t ids[kRing] = {};
};

Fast &fast_of(const ibv_qp *qp) { return *static_cast<Fast *>(qp->qp_context); }
Fast &fast_of(ibv_qp_ex *qp) { return fast_of(&qp->qp_base); }

inline void take(Fast &fast, uint64_t id, unsigned flags) {
  ++fast.posted;
  if ((flags & IBV_SEND_SIGNALED) != 0) fast.ids[fast.head++ % kRing] = id;
}

int post_send(ibv_qp *qp, ibv_send_wr *wr, ibv_send_wr **) {
  Fast &fast = fast_of(qp);
  for (; wr != nullptr; wr = wr->next) {
    fast.sum += wr->sg_list->addr + wr->wr.rdma.remote_addr;
    take(fast, wr->wr_id, wr->send_flags);
  }
  return 0;
}

int poll_cq(ibv_cq *cq, int entries, ibv_wc *wc) {
  auto *fast = static_cast<Fast *>(cq->cq_context);
  int count = 0;
  for (; count < entries && fast->tail != fast->head; ++count) {
    wc[count].wr_id = fast->ids[fast->tail++ % kRing];
    wc[count].status = IBV_WC_SUCCESS;
  }
  return count;
}

void set_calls(ibv_qp_ex &qp) {
  qp.wr_start = [](ibv_qp_ex *) {};
  qp.wr_rdma_write = [](ibv_qp_ex *qp, uint32_t, uint64_t remote) {
    Fast &fast = fast_of(qp);
    fast.sum += remote;
    take(fast, qp->wr_id, qp->wr_flags);
  };
  qp.wr_set_sge = [](ibv_qp_ex *qp, uint32_t, uint64_t address, uint32_t) { fast_of(qp).sum += address; };
  qp.wr_complete = [](ibv_qp_ex *) { return 0; };
}

std::shared_ptr<Qp> make_qp(Fast *fast, bool calls) {
  auto qp = std::make_shared<Qp>();
  qp->qp = &fast->qp.qp_base;
  qp->qp_ex = calls ? &fast->qp : nullptr;
  qp->type = "RC";
  qp->send_cq = std::make_shared<Cq>();
  qp->send_cq->cq = &fast->cq;
  return qp;
}

// mockFast(wrApi): {qp, cq}
Napi::Value make_fast(const Napi::CallbackInfo &info) {
  auto *fast = new Fast;  // lives as long as the process
  fast->context.ops.post_send = post_send;
  fast->context.ops.poll_cq = poll_cq;
  fast->cq.context = &fast->context;
  fast->cq.cq_context = fast;
  fast->qp.qp_base.context = &fast->context;
  fast->qp.qp_base.qp_context = fast;
  set_calls(fast->qp);
  const auto qp = make_qp(fast, info[0].As<Napi::Boolean>());
  auto object = Napi::Object::New(info.Env());
  object.Set("cq", box(info.Env(), qp->send_cq));
  object.Set("qp", box(info.Env(), qp));
  return object;
}

// mockFastPosted(qp)
Napi::Value posted(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(fast_of(unbox<Qp>(info[0])->qp).posted));
}

// The loop.

struct Plan {
  ibv_qp *qp;
  ibv_qp_ex *qp_ex;
  ibv_cq *cq;
  uint64_t total, list, depth, mod;
  uint64_t step, span;
  int poll;
  std::vector<ibv_send_wr> wrs;
  std::vector<ibv_sge> sges;
};

struct PostList {
  static int post(Plan &plan) {
    ibv_send_wr *bad;
    return ibv_post_send(plan.qp, plan.wrs.data(), &bad);
  }
};
struct PostCalls {
  static int post(Plan &plan) {
    ibv_qp_ex *qp = plan.qp_ex;
    ibv_wr_start(qp);
    for (const ibv_send_wr &wr : plan.wrs) {
      qp->wr_id = wr.wr_id;
      qp->wr_flags = wr.send_flags;
      ibv_wr_rdma_write(qp, wr.wr.rdma.rkey, wr.wr.rdma.remote_addr);
      ibv_wr_set_sge(qp, wr.sg_list->lkey, wr.sg_list->addr, wr.sg_list->length);
    }
    return ibv_wr_complete(qp);
  }
};

// As a C program would have it: chains are signaled in fixed places, single work requests by count.
template <class Post, bool kSingle, bool kWalk>
__attribute__((noinline)) int run(Plan &plan) {
  uint64_t posted = 0, completed = 0, until_signal = plan.mod, at = 0;
  ibv_send_wr &wr = plan.wrs[0];
  const uint64_t local = wr.sg_list->addr, remote = wr.wr.rdma.remote_addr;
  ibv_wc found[64];
  while (completed < plan.total) {
    while (posted < plan.total && posted + plan.list <= plan.depth + completed) {
      if constexpr (kSingle) {
        wr.send_flags = 0;
        if (--until_signal == 0 || posted == plan.total - 1) {
          wr.send_flags = IBV_SEND_SIGNALED;
          until_signal = plan.mod;
        }
      }
      if constexpr (kWalk) {
        wr.sg_list->addr = local + at;
        wr.wr.rdma.remote_addr = remote + at;
        at += plan.step;
        if (at == plan.span) at = 0;
      }
      const int code = Post::post(plan);
      if (code != 0) return code;
      posted += plan.list;
    }
    const int count = ibv_poll_cq(plan.cq, plan.poll, found);
    for (int i = 0; i < count; ++i) {
      if (found[i].status != IBV_WC_SUCCESS) return -1;
      completed += plan.mod;
      if (completed > plan.total) completed = plan.total;
    }
  }
  return 0;
}

template <class Post>
int run_as(Plan &plan) {
  if (plan.list > 1) return run<Post, false, false>(plan);
  return plan.span > 0 ? run<Post, true, true>(plan) : run<Post, true, false>(plan);
}

void build(Plan &plan) {
  plan.wrs.resize(plan.list);
  plan.sges.resize(plan.list, {0x100000, 64, 1});
  for (size_t i = 0; i < plan.list; ++i) {
    ibv_send_wr &wr = plan.wrs[i];
    wr = {};
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.sg_list = &plan.sges[i];
    wr.num_sge = 1;
    wr.wr.rdma = {0x200000, 2};
    wr.next = i + 1 < plan.list ? &wr + 1 : nullptr;
    if ((i + 1) % plan.mod == 0) wr.send_flags = IBV_SEND_SIGNALED;
  }
}

// mockFastLoop(qp, {total, postList, txDepth, cqMod, cqePoll, step, span}): seconds
Napi::Value loop(const Napi::CallbackInfo &info) {
  const auto qp = unbox<Qp>(info[0]);
  const Request request(info[1]);
  Plan plan = {qp->qp,
               qp->qp_ex,
               qp->send_cq->cq,
               request.number("total"),
               request.number("postList"),
               request.number("txDepth"),
               request.number("cqMod"),
               request.number("step"),
               request.number("span"),
               static_cast<int>(request.number("cqePoll")),
               {},
               {}};
  build(plan);
  fb_clock_calibrate();
  const uint64_t begin = fb_ticks();
  const int code = qp->qp_ex != nullptr ? run_as<PostCalls>(plan) : run_as<PostList>(plan);
  const uint64_t end = fb_ticks();
  if (code != 0) throw Napi::Error::New(info.Env(), "the plain loop failed");
  return Napi::Number::New(info.Env(), fb_seconds(end - begin));
}

}  // namespace

void register_fast(Napi::Env env, Napi::Object exports) {
  exports.Set("mockFast", Napi::Function::New(env, make_fast));
  exports.Set("mockFastPosted", Napi::Function::New(env, posted));
  exports.Set("mockFastLoop", Napi::Function::New(env, loop));
}

}  // namespace fabricbench::verbs::mock
