// Waiting with progress: for places in counters, for their requests, and for anything else.
#pragma once

#include <ucp/api/ucp.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/operation.hpp"
#include "ucx/ucp_objects.hpp"

namespace fabricbench::ucx::ucp {

struct UcpOperation;

// Counts requests in flight: their callbacks lower it. It lives as long as its worker, since requests point to it.
struct alignas(64) Counter : Box {
  static constexpr napi_type_tag kTag = {0x6662756370000006, 0x1860d7fbe93a25c4};
  Counter() : Box("the counter") {}
  uint32_t count = 0;
  uint32_t limit = 1;  // 0 once a request has failed: the next operation then has to look
  uint32_t wanted = 1;
  ucs_status_t failed = UCS_OK;
  std::shared_ptr<Worker> worker;
  std::vector<UcpOperation *> leftovers;  // operations that are gone and whose requests were in flight

  void fail(ucs_status_t status) {
    failed = status;
    limit = 0;
  }
  // The failure, once.
  ucs_status_t take_failure() {
    limit = wanted;
    return std::exchange(failed, UCS_OK);
  }
};

// A request is complete.
inline void complete_request(void *request, ucs_status_t status, void *data) {
  auto *counter = static_cast<Counter *>(data);
  if (__builtin_expect(status != UCS_OK, 0)) counter->fail(status);
  --counter->count;
  ucp_request_free(request);
}

// What is done when progress has moved nothing.
struct Spin {
  static void idle(const Worker *, int) {}
};
struct Sleep {
  // Sleeps until something happens at the worker, at most `milliseconds`.
  static void idle(const Worker *worker, int milliseconds);
};

// How long a sleep lasts at most: between two looks at `cancelled`, and at memory, whose change is no event.
constexpr int kSleep = 100;
constexpr int kMemorySleep = 1;

// Makes progress until `until` holds. Gives up when the run is cancelled, and when a peer of the worker has failed.
template <class Wait, class Until>
inline __attribute__((always_inline)) int32_t progress_until(Worker *worker, Context *context, Until until,
                                                             int milliseconds = kSleep) {
  while (!until()) {
    if (__builtin_expect(is_cancelled(context), 0)) return kOperationCancelled;
    if (__builtin_expect(worker->failure != UCS_OK, 0)) return worker->failure;
    if (ucp_worker_progress(worker->handle) == 0) Wait::idle(worker, milliseconds);
    give_way(context);
  }
  return 0;
}

template <class Wait>
__attribute__((noinline)) int32_t wait_for_place(Worker *worker, Counter *counter, Context *context) {
  const int32_t code = progress_until<Wait>(
      worker, context, [counter] { return counter->count < counter->limit || counter->failed != UCS_OK; });
  return code != 0 ? code : counter->failed != UCS_OK ? counter->take_failure() : 0;
}

template <class Wait>
inline int32_t wait_for_all(Worker *worker, Counter *counter, Context *context) {
  const int32_t code = progress_until<Wait>(worker, context, [counter] { return counter->count == 0; });
  return code != 0 ? code : __builtin_expect(counter->failed != UCS_OK, 0) ? counter->take_failure() : 0;
}

}  // namespace fabricbench::ucx::ucp
