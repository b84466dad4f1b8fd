#include "ucx/ucp_queue.hpp"

namespace fabricbench::ucx::ucp {
namespace {

// The message of a receive is there, or can't be had.
void settle(const Slot &slot, ucs_status_t status) {
  if (__builtin_expect(status != UCS_OK, 0)) slot.counter->fail(status);
  --slot.counter->count;
}

void settle_eager(const Slot &slot, const void *data, size_t length) {
  if (__builtin_expect(length > slot.size, 0)) return settle(slot, UCS_ERR_MESSAGE_TRUNCATED);
  memcpy(slot.buffer, data, length);
  settle(slot, UCS_OK);
}

}  // namespace

Queue::Queue(ucp_worker_h handle) : worker(handle) { set_callback<complete_request>(param, Completion::kLength); }

bool Queue::fetch(const Slot &slot, void *data, size_t length) {
  if (length > slot.size) {
    settle(slot, UCS_ERR_MESSAGE_TRUNCATED);
    return false;
  }
  param.user_data = slot.counter;
  const ucs_status_ptr_t request = ucp_am_recv_data_nbx(worker, data, slot.buffer, length, &param);
  if (!UCS_PTR_IS_PTR(request)) settle(slot, UCS_PTR_STATUS(request));
  return !UCS_PTR_IS_ERR(request);
}

ucs_status_t Queue::keep(void *data, size_t length, const ucp_am_recv_param_t *param) {
  Early &message = early.push();
  message.length = length;
  message.is_rendezvous = is_rendezvous(param);
  message.data = data;
  if (message.is_rendezvous || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0) return UCS_INPROGRESS;
  message.data = nullptr;
  message.copy.assign(static_cast<char *>(data), static_cast<char *>(data) + length);
  return UCS_OK;
}

ucs_status_t Queue::take(void *self, const void *, size_t, void *data, size_t length,
                         const ucp_am_recv_param_t *param) {
  auto *queue = static_cast<Queue *>(self);
  if (__builtin_expect(queue->posted.empty(), 0)) return queue->keep(data, length, param);
  const Slot slot = queue->posted.front();
  queue->posted.pop();
  if (__builtin_expect(is_rendezvous(param), 0)) return queue->fetch(slot, data, length) ? UCS_INPROGRESS : UCS_OK;
  settle_eager(slot, data, length);
  return UCS_OK;
}

void Queue::take_early(const Slot &slot) {
  Early &message = early.front();
  void *data = message.data;
  if (message.is_rendezvous) {
    if (!fetch(slot, data, message.length)) ucp_am_data_release(worker, data);
  } else {
    settle_eager(slot, data != nullptr ? data : message.copy.data(), message.length);
    if (data != nullptr) ucp_am_data_release(worker, data);
  }
  early.pop();
}

void Queue::withdraw(Counter *counter) {
  posted.remove([counter](const Slot &slot) {
    if (slot.counter != counter) return false;
    --counter->count;
    return true;
  });
}

void Queue::clear() {
  for (; !posted.empty(); posted.pop()) --posted.front().counter->count;
  for (; !early.empty(); early.pop()) {
    if (early.front().data != nullptr) ucp_am_data_release(worker, early.front().data);
  }
}

}  // namespace fabricbench::ucx::ucp
