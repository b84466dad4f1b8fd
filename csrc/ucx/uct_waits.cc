// Operations that wait: for messages, acknowledgements, bytes, completions.
#include "ucx/uct_calls.hpp"

namespace fabricbench::ucx {
namespace {

int32_t execute_progress(Operation *self, Context *) {
  uct_worker_progress(static_cast<UctOperation *>(self)->worker);
  return 0;
}

struct Complete : UctOperation {
  UctInFlight *counter = nullptr;
};

int32_t execute_complete(Operation *self, Context *context) {
  auto *wait = static_cast<Complete *>(self);
  while (!wait->counter->idle()) {
    if (uct_turn(wait->worker, context)) return kOperationCancelled;
  }
  return uct_take_error(wait->counter);
}

struct WaitByte : UctOperation {
  const uint8_t *byte = nullptr;
  uint8_t sequence = 0;
};

int32_t execute_wait_byte(Operation *self, Context *context) {
  auto *wait = static_cast<WaitByte *>(self);
  const uint8_t *byte = wait->byte;
  const auto expected = static_cast<uint8_t>(wait->sequence + 1);
  do {
    if (uct_turn(wait->worker, context)) return kOperationCancelled;
  } while (__atomic_load_n(byte, __ATOMIC_ACQUIRE) != expected);
  wait->sequence = expected;
  return 0;
}

struct OnEp : UctOperation {
  uct_ep_h ep = nullptr;
};

int32_t execute_fence(Operation *self, Context *) { return uct_ep_fence(static_cast<OnEp *>(self)->ep, 0); }

struct OnIface : UctOperation {
  uct_iface_h iface = nullptr;
};

int32_t execute_flush(Operation *self, Context *context) {
  auto *flush = static_cast<OnIface *>(self);
  for (;;) {
    const ucs_status_t status = uct_iface_flush(flush->iface, 0, nullptr);
    if (status == UCS_OK) return 0;
    if (status != UCS_INPROGRESS && status != UCS_ERR_NO_RESOURCE) return status;
    if (uct_turn(flush->worker, context)) return kOperationCancelled;
  }
}

struct Acknowledged : UctOperation {
  UctPacing *pacing = nullptr;
};

int32_t execute_acknowledged(Operation *self, Context *context) {
  auto *wait = static_cast<Acknowledged *>(self);
  while (wait->pacing->acknowledged < wait->pacing->sent) {
    if (uct_turn(wait->worker, context)) return kOperationCancelled;
  }
  return 0;
}

// The total as an active message: by a header alone, or where there are no short messages by a copy.
struct ByShort {
  static ucs_status_t send(uct_ep_h ep, uint8_t id, uint64_t *total) {
    return uct_ep_am_short(ep, id, *total, nullptr, 0);
  }
};
size_t pack_total(void *to, void *total) {
  memcpy(to, total, sizeof(uint64_t));
  return sizeof(uint64_t);
}
struct ByBcopy {
  static ucs_status_t send(uct_ep_h ep, uint8_t id, uint64_t *total) {
    return uct_status_of(uct_ep_am_bcopy(ep, id, pack_total, total, 0));
  }
};

struct Receive : UctOperation {
  UctMessages *messages = nullptr;
  uct_ep_h ep = nullptr;
  uint64_t every = 0;
  uint64_t acknowledged = 0;  // total of the last acknowledgement
  uint64_t behind = 0;        // messages that need not have come yet
  uint8_t id = 0;
};

template <class By>
int32_t send_total(Receive *receive, Context *context) {
  uint64_t total = receive->messages->arrived;
  for (;;) {
    const ucs_status_t status = By::send(receive->ep, receive->id, &total);
    if (status == UCS_OK) break;
    if (status != UCS_ERR_NO_RESOURCE) return status;
    if (uct_turn(receive->worker, context)) return kOperationCancelled;
  }
  receive->acknowledged = total;
  return 0;
}

inline int32_t await_message(const Receive *receive, Context *context) {
  UctMessages *messages = receive->messages;
  while (messages->arrived == messages->awaited) {
    if (uct_turn(receive->worker, context)) return kOperationCancelled;
  }
  ++messages->awaited;
  return 0;
}

// Counts so many messages as waited for, and waits until all but `behind` of those have come.
template <uint64_t kAwait>
int32_t execute_behind(Operation *self, Context *context) {
  auto *receive = static_cast<Receive *>(self);
  UctMessages *messages = receive->messages;
  messages->awaited += kAwait;
  while (messages->arrived + receive->behind < messages->awaited) {
    if (uct_turn(receive->worker, context)) return kOperationCancelled;
  }
  return 0;
}

int32_t execute_receive(Operation *self, Context *context) {
  return await_message(static_cast<Receive *>(self), context);
}

template <class By>
int32_t execute_receive_acknowledging(Operation *self, Context *context) {
  auto *receive = static_cast<Receive *>(self);
  const int32_t code = await_message(receive, context);
  if (code != 0 || receive->messages->arrived - receive->acknowledged < receive->every) return code;
  return send_total<By>(receive, context);
}

template <class By>
int32_t execute_acknowledge(Operation *self, Context *context) {
  return send_total<By>(static_cast<Receive *>(self), context);
}

using Execute = int32_t (*)(Operation *, Context *);

// Makes the function of a wait; `fill` sets what is its own, and its worker.
template <class T, Execute kExecute, class Fill>
Napi::Value wrap(const UctRequest &request, const char *name, Fill fill) {
  T *wait = new_operation<T>(kUct, name, kExecute);
  std::vector<napi_value> holds;
  try {
    if (request.has("iface")) {
      const auto iface = request.box<UctIface>("iface");
      wait->worker = iface->worker;
      wait->uses.push_back(iface);
    }
    fill(*wait);
    if (request.has("buffer")) holds.push_back(request.get("buffer"));
  } catch (...) {
    delete wait;
    throw;
  }
  return wrap_operation(request.env(), wait, holds, detail::call_inlined<kExecute>);
}

// uctBindProgress({iface})
Napi::Value progress(const Napi::CallbackInfo &info) {
  return wrap<UctOperation, execute_progress>(UctRequest(info), "uct_worker_progress", [](UctOperation &) {});
}

// uctBindComplete({iface, inFlight})
Napi::Value complete(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<Complete, execute_complete>(request, "complete", [&](Complete &wait) {
    const auto counter = request.box<UctInFlight>("inFlight");
    wait.counter = counter.get();
    wait.uses.push_back(counter);
  });
}

// uctBindWaitByte({iface, buffer, offset})
Napi::Value wait_byte(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<WaitByte, execute_wait_byte>(request, "waitByte", [&](WaitByte &wait) {
    wait.byte = reinterpret_cast<const uint8_t *>(request.data("buffer")) + request.number("offset");
  });
}

// uctBindFence({endpoint})
Napi::Value fence(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<OnEp, execute_fence>(request, "uct_ep_fence", [&](OnEp &fence) {
    const auto ep = request.box<UctEp>("endpoint");
    fence.ep = ep->ep;
    fence.uses.push_back(ep);
  });
}

// uctBindFlush({iface})
Napi::Value flush(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<OnIface, execute_flush>(request, "uct_iface_flush",
                                      [&](OnIface &flush) { flush.iface = request.box<UctIface>("iface")->iface; });
}

// uctBindAcknowledged({iface, pacing})
Napi::Value acknowledged(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<Acknowledged, execute_acknowledged>(request, "acknowledged", [&](Acknowledged &wait) {
    const auto pacing = request.box<UctPacing>("pacing");
    wait.pacing = pacing.get();
    wait.uses.push_back(pacing);
  });
}

void take_messages(Receive &receive, const UctRequest &request) {
  const auto messages = request.box<UctMessages>("messages");
  receive.messages = messages.get();
  receive.uses.push_back(messages);
  receive.worker = messages->iface->worker;
  if (!request.has("endpoint")) return;
  const auto ep = request.box<UctEp>("endpoint");
  receive.ep = ep->ep;
  receive.uses.push_back(ep);
  receive.id = static_cast<uint8_t>(request.number("id"));
  receive.every = request.number("every");
}

bool has_short(const UctRequest &request) {
  return (request.box<UctEp>("endpoint")->iface->attributes.cap.flags & UCT_IFACE_FLAG_AM_SHORT) != 0;
}

// uctBindReceive({iface, messages, endpoint?, id?, every?})
Napi::Value receive(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  const auto fill = [&](Receive &receive) { take_messages(receive, request); };
  constexpr const char *kName = "amReceive";
  if (!request.has("endpoint")) return wrap<Receive, execute_receive>(request, kName, fill);
  if (has_short(request)) return wrap<Receive, execute_receive_acknowledging<ByShort>>(request, kName, fill);
  return wrap<Receive, execute_receive_acknowledging<ByBcopy>>(request, kName, fill);
}

// uctBindReceiveBehind({messages, behind})
Napi::Value receive_behind(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<Receive, execute_behind<1>>(request, "amReceive", [&](Receive &receive) {
    take_messages(receive, request);
    receive.behind = request.number("behind");
  });
}

// uctBindArrived({messages})
Napi::Value arrived(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  return wrap<Receive, execute_behind<0>>(request, "amArrived",
                                          [&](Receive &receive) { take_messages(receive, request); });
}

// uctBindAcknowledge({messages, endpoint, id, every: 1})
Napi::Value acknowledge(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  const auto fill = [&](Receive &receive) { take_messages(receive, request); };
  if (has_short(request)) return wrap<Receive, execute_acknowledge<ByShort>>(request, "uct_ep_am_short", fill);
  return wrap<Receive, execute_acknowledge<ByBcopy>>(request, "uct_ep_am_bcopy", fill);
}

}  // namespace

void register_uct_waits(Napi::Env env, Napi::Object exports) {
  exports.Set("uctBindProgress", Napi::Function::New(env, progress));
  exports.Set("uctBindComplete", Napi::Function::New(env, complete));
  exports.Set("uctBindWaitByte", Napi::Function::New(env, wait_byte));
  exports.Set("uctBindFence", Napi::Function::New(env, fence));
  exports.Set("uctBindFlush", Napi::Function::New(env, flush));
  exports.Set("uctBindAcknowledged", Napi::Function::New(env, acknowledged));
  exports.Set("uctBindReceive", Napi::Function::New(env, receive));
  exports.Set("uctBindReceiveBehind", Napi::Function::New(env, receive_behind));
  exports.Set("uctBindArrived", Napi::Function::New(env, arrived));
  exports.Set("uctBindAcknowledge", Napi::Function::New(env, acknowledge));
}

}  // namespace fabricbench::ucx
