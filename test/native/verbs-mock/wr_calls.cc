// The ibv_wr_* calls of the fake queue pairs.
#include <cstring>

#include "mock.hpp"

namespace fabricbench::verbs::mock {
namespace {

FakeQp &qp_of(ibv_qp_ex *qp) { return mock::qp_of(&qp->qp_base); }

Record &begin(ibv_qp_ex *qp, ibv_wr_opcode opcode) {
  Record record;
  record.id = qp->wr_id;
  record.flags = qp->wr_flags & ~IBV_SEND_INLINE;
  record.opcode = opcode;
  auto &batch = qp_of(qp).batch;
  batch.push_back(record);
  return batch.back();
}

template <ibv_wr_opcode kOpcode>
void rdma(ibv_qp_ex *qp, uint32_t rkey, uint64_t remote) {
  Record &record = begin(qp, kOpcode);
  record.rkey = rkey;
  record.remote = remote;
}

void write_imm(ibv_qp_ex *qp, uint32_t rkey, uint64_t remote, __be32 imm) {
  rdma<IBV_WR_RDMA_WRITE_WITH_IMM>(qp, rkey, remote);
  qp_of(qp).batch.back().imm = imm;
}

void fetch_add(ibv_qp_ex *qp, uint32_t rkey, uint64_t remote, uint64_t add) {
  rdma<IBV_WR_ATOMIC_FETCH_AND_ADD>(qp, rkey, remote);
  qp_of(qp).batch.back().compare_add = add;
}

void compare_swap(ibv_qp_ex *qp, uint32_t rkey, uint64_t remote, uint64_t compare, uint64_t swap) {
  rdma<IBV_WR_ATOMIC_CMP_AND_SWP>(qp, rkey, remote);
  qp_of(qp).batch.back().compare_add = compare;
  qp_of(qp).batch.back().swap = swap;
}

void send(ibv_qp_ex *qp) { begin(qp, IBV_WR_SEND); }
void send_imm(ibv_qp_ex *qp, __be32 imm) { begin(qp, IBV_WR_SEND_WITH_IMM).imm = imm; }

void set_ud(ibv_qp_ex *qp, ibv_ah *ah, uint32_t qpn, uint32_t qkey) {
  Record &record = qp_of(qp).batch.back();
  record.ah = reinterpret_cast<uint64_t>(ah);
  record.qpn = qpn;
  record.qkey = qkey;
}

void set_srqn(ibv_qp_ex *qp, uint32_t srqn) { qp_of(qp).batch.back().srqn = srqn; }

void set_sge(ibv_qp_ex *qp, uint32_t lkey, uint64_t address, uint32_t length) {
  Record &record = qp_of(qp).batch.back();
  record.pieces = 1;
  record.local = address;
  record.length = length;
  record.lkey = lkey;
}

void set_list(ibv_qp_ex *qp, size_t count, const ibv_sge *list) {
  if (count > 0) set_sge(qp, list->lkey, list->addr, list->length);
}

void set_inline(ibv_qp_ex *qp, void *data, size_t length) {
  set_sge(qp, 0, reinterpret_cast<uint64_t>(data), static_cast<uint32_t>(length));
  qp_of(qp).batch.back().carried = (qp->wr_flags & IBV_SEND_INLINE) != 0;  // as Soft-RoCE has it
}

void start(ibv_qp_ex *qp) { qp_of(qp).batch.clear(); }

// All or nothing.
int complete(ibv_qp_ex *ex) {
  FakeQp &qp = qp_of(ex);
  const uint64_t left = qp.capacity - (qp.posted - qp.polled);
  if (qp.capacity != UINT64_MAX && qp.batch.size() > left) return ENOMEM;
  int code = 0;
  accept(qp, qp.batch, &code);
  return code;
}

}  // namespace

void set_wr_calls(FakeQp &fake) {
  ibv_qp_ex &qp = fake.memory;
  qp.wr_send = send;
  qp.wr_send_imm = send_imm;
  qp.wr_rdma_write = rdma<IBV_WR_RDMA_WRITE>;
  qp.wr_rdma_write_imm = write_imm;
  qp.wr_rdma_read = rdma<IBV_WR_RDMA_READ>;
  qp.wr_atomic_fetch_add = fetch_add;
  qp.wr_atomic_cmp_swp = compare_swap;
  qp.wr_set_ud_addr = set_ud;
  qp.wr_set_xrc_srqn = set_srqn;
  qp.wr_set_sge = set_sge;
  qp.wr_set_sge_list = set_list;
  qp.wr_set_inline_data = set_inline;
  qp.wr_start = start;
  qp.wr_complete = complete;
}

}  // namespace fabricbench::verbs::mock
