#include "verbs/operations_wr.hpp"

#include <arpa/inet.h>

namespace fabricbench::verbs {
namespace {

enum class Way { kPlain, kUd, kXrc };
enum class Data { kNone, kPiece, kInline };

template <ibv_wr_opcode kOpcode>
void begin(ibv_qp_ex *qp, const ibv_send_wr *wr) {
  const auto &rdma = wr->wr.rdma;
  const auto &atomic = wr->wr.atomic;
  if constexpr (kOpcode == IBV_WR_SEND) ibv_wr_send(qp);
  if constexpr (kOpcode == IBV_WR_SEND_WITH_IMM) ibv_wr_send_imm(qp, wr->imm_data);
  if constexpr (kOpcode == IBV_WR_RDMA_WRITE) ibv_wr_rdma_write(qp, rdma.rkey, rdma.remote_addr);
  if constexpr (kOpcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
    ibv_wr_rdma_write_imm(qp, rdma.rkey, rdma.remote_addr, wr->imm_data);
  }
  if constexpr (kOpcode == IBV_WR_RDMA_READ) ibv_wr_rdma_read(qp, rdma.rkey, rdma.remote_addr);
  if constexpr (kOpcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    ibv_wr_atomic_fetch_add(qp, atomic.rkey, atomic.remote_addr, atomic.compare_add);
  }
  if constexpr (kOpcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
    ibv_wr_atomic_cmp_swp(qp, atomic.rkey, atomic.remote_addr, atomic.compare_add, atomic.swap);
  }
}

template <ibv_wr_opcode kOpcode, Way kWay, Data kData>
void build(ibv_qp_ex *qp, const ibv_send_wr *wr) {
  qp->wr_id = wr->wr_id;
  qp->wr_flags = wr->send_flags;
  begin<kOpcode>(qp, wr);
  if constexpr (kWay == Way::kUd) {
    ibv_wr_set_ud_addr(qp, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
  }
  if constexpr (kWay == Way::kXrc) ibv_wr_set_xrc_srqn(qp, wr->qp_type.xrc.remote_srqn);
  const ibv_sge *sge = wr->sg_list;
  if constexpr (kData == Data::kPiece) ibv_wr_set_sge(qp, sge->lkey, sge->addr, sge->length);
  if constexpr (kData == Data::kInline) ibv_wr_set_inline_data(qp, reinterpret_cast<void *>(sge->addr), sge->length);
  if constexpr (kData == Data::kNone) ibv_wr_set_sge_list(qp, 0, nullptr);
}

template <ibv_wr_opcode kOpcode, Way kWay>
Build choose(Data data) {
  if (data == Data::kNone) return build<kOpcode, kWay, Data::kNone>;
  return data == Data::kInline ? build<kOpcode, kWay, Data::kInline> : build<kOpcode, kWay, Data::kPiece>;
}

// Datagrams are sends; all other calls have one way less.
template <ibv_wr_opcode kOpcode>
Build choose(Way way, Data data) {
  if constexpr (kOpcode == IBV_WR_SEND || kOpcode == IBV_WR_SEND_WITH_IMM) {
    if (way == Way::kUd) return choose<kOpcode, Way::kUd>(data);
  }
  return way == Way::kXrc ? choose<kOpcode, Way::kXrc>(data) : choose<kOpcode, Way::kPlain>(data);
}

struct Call {
  ibv_wr_opcode opcode;
  const char *name;  // of the ibv_wr_* call
  Build (*choose)(Way way, Data data);
};

// In the order of `opcodes` in src/verbs/bind-wr.ts.
constexpr Call kCalls[] = {
    {IBV_WR_SEND, "ibv_wr_send", choose<IBV_WR_SEND>},
    {IBV_WR_SEND_WITH_IMM, "ibv_wr_send_imm", choose<IBV_WR_SEND_WITH_IMM>},
    {IBV_WR_RDMA_WRITE, "ibv_wr_rdma_write", choose<IBV_WR_RDMA_WRITE>},
    {IBV_WR_RDMA_WRITE_WITH_IMM, "ibv_wr_rdma_write_imm", choose<IBV_WR_RDMA_WRITE_WITH_IMM>},
    {IBV_WR_RDMA_READ, "ibv_wr_rdma_read", choose<IBV_WR_RDMA_READ>},
    {IBV_WR_ATOMIC_FETCH_AND_ADD, "ibv_wr_atomic_fetch_add", choose<IBV_WR_ATOMIC_FETCH_AND_ADD>},
    {IBV_WR_ATOMIC_CMP_AND_SWP, "ibv_wr_atomic_cmp_swp", choose<IBV_WR_ATOMIC_CMP_AND_SWP>},
};

void read_remote(const Request &request, ibv_send_wr &wr) {
  const uint64_t address = request.word("address");
  if (wr.opcode != IBV_WR_ATOMIC_FETCH_AND_ADD && wr.opcode != IBV_WR_ATOMIC_CMP_AND_SWP) {
    wr.wr.rdma = {address, request.number32("rkey")};
  } else {
    wr.wr.atomic = {address, request.word("compareAdd"), request.word("swap"), request.number32("rkey")};
  }
}

Way read_way(const Request &request, ibv_send_wr &wr, Uses &uses) {
  if (request.has("address")) read_remote(request, wr);
  if (request.has("srqn")) {
    wr.qp_type.xrc.remote_srqn = request.number32("srqn");
    return Way::kXrc;
  }
  if (!request.has("ah")) return Way::kPlain;
  wr.wr.ud = {request.object<Ah>("ah", uses)->ah, request.number32("qpn"), request.number32("qkey")};
  return Way::kUd;
}

}  // namespace

ibv_sge read_piece(const Request &request, Uses &uses) {
  const auto mr = request.object<Mr>("mr", uses);
  const uint64_t address = reinterpret_cast<uint64_t>(mr->mr->addr) + request.number("offset");
  return {address, request.number32("length"), mr->mr->lkey};
}

SendRequest read_send(const Request &request, Uses &uses) {
  const Call &call = kCalls[request.number("opcode")];
  SendRequest send;
  send.qp = request.object<Qp>("qp", uses);
  if (send.qp->send_cq) add_use(uses, send.qp->send_cq);
  send.sge = read_piece(request, uses);
  send.wr.opcode = call.opcode;
  if (request.has("imm")) send.wr.imm_data = htonl(request.number32("imm"));
  const Way way = read_way(request, send.wr, uses);
  const bool is_inline = request.flag("inline");
  const Data data = send.sge.length == 0 ? Data::kNone : is_inline ? Data::kInline : Data::kPiece;
  send.target = {send.qp->qp, send.qp->qp_ex, call.choose(way, data)};
  send.name = send.qp->qp_ex != nullptr ? call.name : "ibv_post_send";
  // The ibv_wr_* calls say it by the call for the data, but Soft-RoCE looks at the flag then too.
  if (data == Data::kInline) send.wr.send_flags = IBV_SEND_INLINE;
  return send;
}

}  // namespace fabricbench::verbs
