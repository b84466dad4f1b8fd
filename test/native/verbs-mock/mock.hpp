// A device of verbs that is memory of ours: it writes down what is posted, and completes it as a test asks for. Queue
// pairs, queues and regions are the ones that src/verbs' operations work on, made without libibverbs.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "verbs/operations.hpp"

namespace fabricbench::verbs::mock {

// A work request as it was posted, by either way.
struct Record {
  uint32_t qp = 0;    // number of the queue pair
  uint64_t call = 0;  // which call of the device posted it
  uint64_t id = 0;
  uint64_t number = 0;  // among those of its queue pair
  bool fails = false;
  uint32_t opcode = 0;
  uint32_t flags = 0;
  bool carried = false;  // its data went with the call
  uint64_t local = 0;
  uint32_t length = 0, lkey = 0, pieces = 0;
  uint8_t last_byte = 0;
  uint64_t remote = 0;
  uint32_t rkey = 0, imm = 0, qpn = 0, qkey = 0, srqn = 0;
  uint64_t ah = 0, compare_add = 0, swap = 0;
};

struct RecvRecord {
  uint64_t call = 0, id = 0, local = 0;
  uint32_t length = 0, lkey = 0, pieces = 0;
};

struct FakeQp;
struct Device;

// Receives that are posted, of a queue pair or shared.
struct RecvQueue {
  std::deque<uint64_t> ids;
  size_t capacity = SIZE_MAX;
};

struct Completion {
  ibv_wc wc;
  FakeQp *qp = nullptr;  // whose work requests up to `number` are complete with it; null for receives
  uint64_t number = 0;
};

struct FakeCq : Cq {
  ibv_cq memory = {};
  Device *device = nullptr;
  std::deque<Completion> ready;
  bool asked = false;  // an event is wanted
};

struct FakeSrq : Srq {
  ibv_srq memory = {};
  RecvQueue queue;
};

struct FakeQp : Qp {
  ibv_qp_ex memory = {};
  Device *device = nullptr;
  std::deque<Record> pending;  // not complete yet
  std::vector<Record> batch;   // between wr_start and wr_complete
  RecvQueue own;
  RecvQueue *queue = &own;
  uint64_t posted = 0, polled = 0;  // work requests; those that polled completions tell of
  uint64_t most = 0;                // the most outstanding at any time
  uint64_t capacity = UINT64_MAX;
  bool failed = false;
};

struct Channel : verbs::Channel {
  ibv_comp_channel memory = {};
  int write_end = -1;
};

// How it behaves. Counts are of all queue pairs, from 0.
struct Behaviour {
  uint64_t fail_at = UINT64_MAX;  // the work request that fails
  ibv_wc_status status = IBV_WC_SUCCESS;
  uint64_t refuse_at = UINT64_MAX;  // the work request whose call gives `refusal`
  int refusal = 0;
  uint64_t per_poll = UINT64_MAX;  // work requests that become complete with each poll
  uint64_t empty_polls = 0;        // before each of those
  bool on_events = false;          // they become complete when an event is asked for, not with polls
  uint32_t after_ms = 0;           // and so many milliseconds later, by a thread
  bool loops = false;              // each completed send arrives in the queue pair's own receives
  bool fail_polls = false;
};

struct Device {
  ibv_context memory = {};  // first, so that it is found from what verbs hands around
  std::shared_ptr<Context> context = std::make_shared<Context>();
  std::recursive_mutex mutex;
  Behaviour behaviour;
  std::vector<std::shared_ptr<FakeCq>> cqs;
  std::vector<std::shared_ptr<FakeQp>> qps;
  std::vector<std::shared_ptr<FakeSrq>> srqs;
  std::vector<Record> sent;
  std::vector<RecvRecord> received;
  uint64_t calls = 0, recv_calls = 0, polls = 0, polls_without = 0, missed = 0;
  uint64_t events = 0, acknowledged = 0;
};

inline Device &device_of(ibv_context *context) { return *reinterpret_cast<Device *>(context); }
inline FakeQp &qp_of(ibv_qp *qp) { return *static_cast<FakeQp *>(qp->qp_context); }

void set_device_calls(Device &device);
void set_wr_calls(FakeQp &qp);
// Takes work requests: gives how many it took, and an errno in `*code` where that isn't all.
size_t accept(FakeQp &qp, const std::vector<Record> &records, int *code);
// So many arrive, with a status.
void deliver(FakeQp &qp, uint64_t count, ibv_wc_status status);

void register_fast(Napi::Env env, Napi::Object exports);
void register_wire(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::verbs::mock
