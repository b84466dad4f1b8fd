// What the fake device does with work requests, polls and events.
#include <infiniband/verbs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "mock.hpp"

namespace fabricbench::verbs::mock {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

void push(FakeCq &cq, const Completion &completion) {
  cq.ready.push_back(completion);
  if (!cq.asked) return;
  cq.asked = false;
  ibv_cq *event = &cq.memory;
  const int end = static_cast<Channel *>(cq.channel.get())->write_end;
  if (write(end, &event, sizeof event) == sizeof event) ++cq.device->events;
}

FakeCq &fake(const std::shared_ptr<Cq> &cq) { return *static_cast<FakeCq *>(cq.get()); }

void complete(FakeQp &qp, const Record &record) {
  const bool is_error = qp.failed || record.fails;
  if (qp.device->behaviour.loops && !is_error) deliver(qp, 1, IBV_WC_SUCCESS);
  if (!is_error && (record.flags & IBV_SEND_SIGNALED) == 0) return;
  ibv_wc wc = {};
  wc.wr_id = record.id;
  wc.qp_num = qp.memory.qp_base.qp_num;
  wc.status = IBV_WC_SUCCESS;
  if (is_error) wc.status = qp.failed ? IBV_WC_WR_FLUSH_ERR : qp.device->behaviour.status;
  qp.failed = qp.failed || is_error;
  push(fake(qp.send_cq), {wc, &qp, record.number});
}

// Completes so many of all queue pairs whose completions go to a queue, in order within each.
void advance(Device &device, const FakeCq &cq, uint64_t count) {
  for (const auto &qp : device.qps) {
    if (qp->send_cq.get() != &cq) continue;
    for (uint64_t i = 0; i < count && !qp->pending.empty(); ++i) {
      const Record record = qp->pending.front();
      qp->pending.pop_front();
      complete(*qp, record);
    }
  }
}

Record read(const ibv_send_wr &wr) {
  Record record;
  record.id = wr.wr_id;
  record.opcode = wr.opcode;
  record.flags = wr.send_flags & ~IBV_SEND_INLINE;
  record.carried = (wr.send_flags & IBV_SEND_INLINE) != 0;
  record.imm = wr.imm_data;
  record.srqn = wr.qp_type.xrc.remote_srqn;
  record.pieces = static_cast<uint32_t>(wr.num_sge);
  if (wr.num_sge > 0) {
    record.local = wr.sg_list->addr;
    record.length = wr.sg_list->length;
    record.lkey = wr.sg_list->lkey;
  }
  return record;
}

void read_target(const FakeQp &qp, const ibv_send_wr &wr, Record &record) {
  if (qp.type == "UD") {
    record.ah = reinterpret_cast<uint64_t>(wr.wr.ud.ah);
    record.qpn = wr.wr.ud.remote_qpn;
    record.qkey = wr.wr.ud.remote_qkey;
  } else if (wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    record.remote = wr.wr.atomic.remote_addr;
    record.rkey = wr.wr.atomic.rkey;
    record.compare_add = wr.wr.atomic.compare_add;
    record.swap = wr.wr.atomic.swap;
  } else if (wr.opcode != IBV_WR_SEND && wr.opcode != IBV_WR_SEND_WITH_IMM) {
    record.remote = wr.wr.rdma.remote_addr;
    record.rkey = wr.wr.rdma.rkey;
  }
}

int post_send(ibv_qp *ibv, ibv_send_wr *first, ibv_send_wr **bad) {
  FakeQp &qp = qp_of(ibv);
  std::vector<Record> records;
  for (const ibv_send_wr *wr = first; wr != nullptr; wr = wr->next) {
    records.push_back(read(*wr));
    read_target(qp, *wr, records.back());
  }
  int code = 0;
  size_t taken = accept(qp, records, &code);
  if (code == 0) return 0;
  for (*bad = first; taken > 0; --taken) *bad = (*bad)->next;
  return code;
}

int post_receives(Device &device, RecvQueue &queue, ibv_recv_wr *wr, ibv_recv_wr **bad) {
  const Lock lock(device.mutex);
  ++device.recv_calls;
  for (; wr != nullptr; wr = wr->next) {
    if (queue.ids.size() >= queue.capacity) {
      *bad = wr;
      return ENOMEM;
    }
    RecvRecord record = {device.recv_calls - 1, wr->wr_id, 0, 0, 0, static_cast<uint32_t>(wr->num_sge)};
    if (wr->num_sge > 0) {
      record.local = wr->sg_list->addr;
      record.length = wr->sg_list->length;
      record.lkey = wr->sg_list->lkey;
    }
    device.received.push_back(record);
    queue.ids.push_back(wr->wr_id);
  }
  return 0;
}

int post_recv(ibv_qp *qp, ibv_recv_wr *wr, ibv_recv_wr **bad) {
  return post_receives(device_of(qp->context), *qp_of(qp).queue, wr, bad);
}

int post_srq_recv(ibv_srq *srq, ibv_recv_wr *wr, ibv_recv_wr **bad) {
  return post_receives(device_of(srq->context), static_cast<FakeSrq *>(srq->srq_context)->queue, wr, bad);
}

void advance_by_poll(Device &device, const FakeCq &cq) {
  if (device.behaviour.on_events) return;
  if (device.polls_without++ < device.behaviour.empty_polls) return;
  device.polls_without = 0;
  advance(device, cq, device.behaviour.per_poll);
}

int poll_cq(ibv_cq *ibv, int entries, ibv_wc *wc) {
  Device &device = device_of(ibv->context);
  const Lock lock(device.mutex);
  if (device.behaviour.fail_polls) return -1;
  FakeCq &cq = *device.cqs[ibv->handle];
  ++device.polls;
  advance_by_poll(device, cq);
  int count = 0;
  for (; count < entries && !cq.ready.empty(); ++count) {
    const Completion &next = cq.ready.front();
    wc[count] = next.wc;
    if (next.qp != nullptr) next.qp->polled = next.number + 1;  // only now are their places free
    cq.ready.pop_front();
  }
  return count;
}

int req_notify(ibv_cq *ibv, int) {
  Device &device = device_of(ibv->context);
  const Lock lock(device.mutex);
  FakeCq &cq = *device.cqs[ibv->handle];
  cq.asked = true;
  if (!device.behaviour.on_events) return 0;
  if (device.behaviour.after_ms == 0) {
    advance(device, cq, device.behaviour.per_poll);
    return 0;
  }
  std::thread([&device, &cq] {  // devices live as long as the process
    std::this_thread::sleep_for(std::chrono::milliseconds(device.behaviour.after_ms));
    const Lock later(device.mutex);
    advance(device, cq, device.behaviour.per_poll);
  })
      .detach();
  return 0;
}

}  // namespace

size_t accept(FakeQp &qp, const std::vector<Record> &records, int *code) {
  Device &device = *qp.device;
  const Lock lock(device.mutex);
  const uint64_t call = device.calls++;
  size_t taken = 0;
  for (Record record : records) {
    if (device.sent.size() == device.behaviour.refuse_at) *code = device.behaviour.refusal;
    if (qp.posted - qp.polled >= qp.capacity) *code = ENOMEM;
    if (*code != 0) return taken;
    record.qp = qp.memory.qp_base.qp_num;
    record.call = call;
    if (record.length > 0) record.last_byte = reinterpret_cast<uint8_t *>(record.local)[record.length - 1];
    record.number = qp.posted;
    record.fails = device.sent.size() == device.behaviour.fail_at;
    device.sent.push_back(record);
    qp.pending.push_back(record);
    qp.most = std::max(qp.most, ++qp.posted - qp.polled);
    ++taken;
  }
  return taken;
}

void deliver(FakeQp &qp, uint64_t count, ibv_wc_status status) {
  const Lock lock(qp.device->mutex);
  for (uint64_t i = 0; i < count; ++i) {
    if (qp.queue->ids.empty()) {
      ++qp.device->missed;
      continue;
    }
    ibv_wc wc = {};
    wc.wr_id = qp.queue->ids.front();
    qp.queue->ids.pop_front();
    wc.status = status;
    wc.qp_num = qp.memory.qp_base.qp_num;
    push(fake(qp.recv_cq), {wc, nullptr, 0});
  }
}

void set_device_calls(Device &device) {
  device.context->context = &device.memory;
  device.memory.ops.post_send = post_send;
  device.memory.ops.post_recv = post_recv;
  device.memory.ops.post_srq_recv = post_srq_recv;
  device.memory.ops.poll_cq = poll_cq;
  device.memory.ops.req_notify_cq = req_notify;
}

}  // namespace fabricbench::verbs::mock

// What libibverbs itself would do: this addon has it not.
extern "C" {

int ibv_get_cq_event(ibv_comp_channel *channel, ibv_cq **cq, void **cq_context) {
  if (read(channel->fd, cq, sizeof *cq) != sizeof *cq) return -1;
  *cq_context = (*cq)->cq_context;
  return 0;
}

void ibv_ack_cq_events(ibv_cq *cq, unsigned int count) {
  fabricbench::verbs::mock::device_of(cq->context).acknowledged += count;
}

const char *ibv_wc_status_str(ibv_wc_status status) {
  static const char *const texts[] = {"success", "local length error", "local QP operation error"};
  if (status == IBV_WC_WR_FLUSH_ERR) return "Work Request Flushed Error";
  return status == IBV_WC_REM_ACCESS_ERR ? "remote access error" : texts[static_cast<size_t>(status) % 3];
}
}
