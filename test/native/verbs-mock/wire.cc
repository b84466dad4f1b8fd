// Pairs of queue pairs that are wired to each other: what one sends, writes or reads is copied at once. Keys, bounds
// and the depth of queues are checked as a device would, so that a wrong work request is an error here too.
#include <deque>
#include <map>
#include <mutex>

#include "mock.hpp"
#include "verbs/channel_js.hpp"

namespace fabricbench::verbs::mock {
namespace {

struct WireQp;

struct WireCq : Cq {
  ibv_cq memory = {};
  std::deque<ibv_wc> ready;
};

struct Receive {
  uint64_t id;
  uint64_t address;
  uint32_t length, lkey;
};

struct Wire {
  ibv_context memory = {};  // first, so that it is found from what verbs hands around
  std::shared_ptr<Context> context = std::make_shared<Context>();
  std::mutex mutex;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> regions;  // address and length, by key
  std::vector<std::shared_ptr<WireQp>> qps;
};

struct Posted {
  ibv_send_wr wr;
  ibv_sge sge;
  std::vector<char> carried;  // inline data
  const char *data() const { return carried.empty() ? reinterpret_cast<const char *>(sge.addr) : carried.data(); }
};

struct WireQp : Qp {
  ibv_qp memory = {};
  Wire *wire = nullptr;
  WireQp *peer = nullptr;
  std::deque<Receive> receives;
  std::deque<Posted> waiting;  // for a receive of the peer
  uint64_t send_depth = 0, receive_depth = 0, unsignaled = 0;
  bool failed = false;
};

Wire &wire_of(ibv_context *context) { return *reinterpret_cast<Wire *>(context); }
WireQp &wire_qp(ibv_qp *qp) { return *static_cast<WireQp *>(qp->qp_context); }
WireCq &cq_of(const WireQp &qp) { return *static_cast<WireCq *>(qp.send_cq.get()); }

bool is_registered(const Wire &wire, uint32_t key, uint64_t address, uint32_t length) {
  const auto found = wire.regions.find(key);
  if (length == 0) return true;
  if (found == wire.regions.end()) return false;
  const auto &[begin, bytes] = found->second;
  return address >= begin && address + length <= begin + bytes;
}

// Its last word arrives last, as devices have it.
void copy(char *to, const char *from, size_t length) {
  constexpr size_t kWord = sizeof(uint32_t);
  if (length < kWord || reinterpret_cast<uintptr_t>(to + length) % kWord != 0) {
    memcpy(to, from, length);
    return;
  }
  uint32_t word;
  memcpy(&word, from + length - kWord, kWord);
  memcpy(to, from, length - kWord);
  __atomic_store_n(reinterpret_cast<uint32_t *>(to + length - kWord), word, __ATOMIC_RELEASE);
}

void push(const WireQp &qp, uint64_t id, ibv_wc_status status, uint32_t bytes = 0) {
  ibv_wc wc = {};
  wc.wr_id = id;
  wc.status = status;
  wc.byte_len = bytes;
  cq_of(qp).ready.push_back(wc);
}

ibv_wc_status arrive(WireQp &to, const Posted &posted) {
  const Receive receive = to.receives.front();
  to.receives.pop_front();
  const uint32_t length = posted.sge.length;
  if (length > receive.length) return IBV_WC_REM_INV_REQ_ERR;
  if (!is_registered(*to.wire, receive.lkey, receive.address, length)) return IBV_WC_REM_OP_ERR;
  copy(reinterpret_cast<char *>(receive.address), posted.data(), length);
  push(to, receive.id, IBV_WC_SUCCESS, length);
  return IBV_WC_SUCCESS;
}

ibv_wc_status carry_out(WireQp &qp, const Posted &posted) {
  const ibv_send_wr &wr = posted.wr;
  const uint32_t length = posted.sge.length;
  if (posted.carried.empty() && !is_registered(*qp.wire, posted.sge.lkey, posted.sge.addr, length)) {
    return IBV_WC_LOC_PROT_ERR;
  }
  if (wr.opcode == IBV_WR_SEND) return arrive(*qp.peer, posted);
  const uint64_t remote = wr.wr.rdma.remote_addr;
  if (!is_registered(*qp.wire, wr.wr.rdma.rkey, remote, length)) return IBV_WC_REM_ACCESS_ERR;
  auto *there = reinterpret_cast<char *>(remote);
  if (wr.opcode == IBV_WR_RDMA_WRITE) copy(there, posted.data(), length);
  if (wr.opcode == IBV_WR_RDMA_READ) memcpy(reinterpret_cast<char *>(posted.sge.addr), there, length);
  return IBV_WC_SUCCESS;
}

// Carries out what waits, in order; a send waits for a receive.
void carry_out_all(WireQp &qp) {
  while (!qp.waiting.empty()) {
    const Posted &posted = qp.waiting.front();
    if (posted.wr.opcode == IBV_WR_SEND && qp.peer->receives.empty()) return;
    const ibv_wc_status status = qp.failed ? IBV_WC_WR_FLUSH_ERR : carry_out(qp, posted);
    if (status != IBV_WC_SUCCESS || (posted.wr.send_flags & IBV_SEND_SIGNALED) != 0) push(qp, posted.wr.wr_id, status);
    qp.unsignaled = (posted.wr.send_flags & IBV_SEND_SIGNALED) != 0 ? 0 : qp.unsignaled + 1;
    qp.failed = qp.failed || status != IBV_WC_SUCCESS;
    qp.waiting.pop_front();
  }
}

int wire_post_send(ibv_qp *ibv, ibv_send_wr *wr, ibv_send_wr **bad) {
  WireQp &qp = wire_qp(ibv);
  const std::lock_guard<std::mutex> lock(qp.wire->mutex);
  *bad = wr;
  // Work requests without a completion keep their places until a later one has had its own.
  if (qp.waiting.size() + qp.unsignaled >= qp.send_depth) return ENOMEM;
  Posted posted = {*wr, {}, {}};
  if (wr->num_sge == 1) posted.sge = *wr->sg_list;
  if ((wr->send_flags & IBV_SEND_INLINE) != 0) {
    if (posted.sge.length > qp.max_inline) return EINVAL;
    const auto *data = reinterpret_cast<const char *>(posted.sge.addr);
    posted.carried.assign(data, data + posted.sge.length);
  }
  qp.waiting.push_back(std::move(posted));
  carry_out_all(qp);
  return 0;
}

int wire_post_recv(ibv_qp *ibv, ibv_recv_wr *wr, ibv_recv_wr **bad) {
  WireQp &qp = wire_qp(ibv);
  const std::lock_guard<std::mutex> lock(qp.wire->mutex);
  *bad = wr;
  if (qp.receives.size() >= qp.receive_depth) return ENOMEM;
  const ibv_sge sge = wr->num_sge == 1 ? *wr->sg_list : ibv_sge{};
  qp.receives.push_back({wr->wr_id, sge.addr, sge.length, sge.lkey});
  carry_out_all(*qp.peer);
  return 0;
}

int wire_poll(ibv_cq *ibv, int entries, ibv_wc *wcs) {
  Wire &wire = wire_of(ibv->context);
  const std::lock_guard<std::mutex> lock(wire.mutex);
  auto &ready = static_cast<WireCq *>(ibv->cq_context)->ready;
  int count = 0;
  for (; count < entries && !ready.empty(); ++count) {
    wcs[count] = ready.front();
    ready.pop_front();
  }
  return count;
}

uint32_t number(const Napi::Value &value) { return value.As<Napi::Number>().Uint32Value(); }
Wire &wire_in(const Napi::Value &value) { return *value.As<Napi::External<Wire>>().Data(); }

// mockWire()
Napi::Value make_wire(const Napi::CallbackInfo &info) {
  auto *wire = new Wire;  // lives as long as the process
  wire->context->context = &wire->memory;
  wire->memory.ops.post_send = wire_post_send;
  wire->memory.ops.post_recv = wire_post_recv;
  wire->memory.ops.poll_cq = wire_poll;
  return Napi::External<Wire>::New(info.Env(), wire);
}

// mockWireCq(wire)
Napi::Value make_cq(const Napi::CallbackInfo &info) {
  Wire &wire = wire_in(info[0]);
  auto cq = std::make_shared<WireCq>();
  cq->cq = &cq->memory;
  cq->memory.context = &wire.memory;
  cq->memory.cq_context = cq.get();
  opened(*cq, wire.context);
  return box<Cq>(info.Env(), cq);
}

// mockWireMr(wire, buffer, key)
Napi::Value make_mr(const Napi::CallbackInfo &info) {
  Wire &wire = wire_in(info[0]);
  const Bytes bytes = bytes_of(info.Env(), info[1], "the buffer");
  auto mr = std::make_shared<Mr>();
  mr->mr = new ibv_mr{};
  mr->mr->addr = bytes.data;
  mr->mr->lkey = mr->mr->rkey = number(info[2]);
  wire.regions[mr->mr->lkey] = {reinterpret_cast<uint64_t>(bytes.data), bytes.byte_length};
  opened(*mr, wire.context);
  return box(info.Env(), mr);
}

std::shared_ptr<WireQp> make_end(Wire &wire, const Napi::Value &cq, const Napi::CallbackInfo &info) {
  auto qp = std::make_shared<WireQp>();
  qp->wire = &wire;
  qp->qp = &qp->memory;
  qp->type = "RC";
  qp->send_cq = qp->recv_cq = unbox<Cq>(cq);
  qp->send_depth = number(info[3]);
  qp->receive_depth = number(info[4]);
  qp->max_inline = number(info[5]);
  qp->memory.context = &wire.memory;
  qp->memory.qp_context = qp.get();
  opened(*qp, wire.context);
  wire.qps.push_back(qp);
  return qp;
}

// mockWireQps(wire, cq, cq, sendDepth, receiveDepth, maxInline): both ends
Napi::Value make_qps(const Napi::CallbackInfo &info) {
  Wire &wire = wire_in(info[0]);
  const auto a = make_end(wire, info[1], info);
  const auto b = make_end(wire, info[2], info);
  a->peer = b.get();
  b->peer = a.get();
  auto ends = Napi::Array::New(info.Env(), 2);
  ends.Set(0u, box<Qp>(info.Env(), a));
  ends.Set(1u, box<Qp>(info.Env(), b));
  return ends;
}

// mockWireBreak(qp): what is posted from now on fails, as when the peer has gone
void break_end(const Napi::CallbackInfo &info) {
  auto &qp = *static_cast<WireQp *>(unbox<Qp>(info[0]).get());
  const std::lock_guard<std::mutex> lock(qp.wire->mutex);
  qp.failed = true;
}

}  // namespace

void register_wire(Napi::Env env, Napi::Object exports) {
  exports.Set("mockWire", Napi::Function::New(env, make_wire));
  exports.Set("mockWireCq", Napi::Function::New(env, make_cq));
  exports.Set("mockWireMr", Napi::Function::New(env, make_mr));
  exports.Set("mockWireQps", Napi::Function::New(env, make_qps));
  exports.Set("mockWireBreak", Napi::Function::New(env, break_end));
}

}  // namespace fabricbench::verbs::mock
