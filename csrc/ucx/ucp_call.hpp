// Operations of UCP: one call each, with its request parameters prepared when it is bound.
//
// A call is a struct with a function `post(parameters)` that is the bare UCP call, and a member `kCompletion` that says
// which of UCX's callbacks it takes. Posting<Call> makes an operation of it: in each of its modes it is a function of
// its own, so that nothing is looked up while it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/operation_js.hpp"
#include "ucx/ucp_objects.hpp"
#include "ucx/ucp_wait.hpp"
#include "ucx/ucs.hpp"

namespace fabricbench::ucx::ucp {

struct UcpOperation : Operation {
  Counter *counter = nullptr;  // what its requests count in while they are in flight
  Counter *shared = nullptr;   // of the blocking forms: what they wait at for a place first
  Worker *worker = nullptr;
  ucp_request_param_t param = {};

  int32_t (*usual)(Operation *self, Context *context) = nullptr;   // `execute` unless it is to ask
  int32_t (*asking)(Operation *self, Context *context) = nullptr;  // posts once in a way that tells the protocol
  std::string protocol;
  std::vector<ucp_dt_iov_t> pieces;
  std::vector<std::shared_ptr<Box>> uses;
  Holds holds;
  std::shared_ptr<Counter> owned;  // `counter`, where it is for this operation alone
  bool is_leftover = false;        // its function is gone: it lives for what it has in flight alone
  void (*free)(UcpOperation *self) = nullptr;

  UcpOperation();
  UcpOperation(const UcpOperation &) = delete;
  bool in_flight() const { return counter != nullptr && counter->count > 0; }

 protected:
  ~UcpOperation();
};

// The operation as what it is, or null where it is none of UCP's.
UcpOperation *find_operation(Operation *operation);
// How many operations use an object; with `in_flight` those too that were released and have requests in flight.
uint32_t uses_in_operations(const Box *box, bool in_flight = false);
// Whether a request in flight may use an engine buffer.
bool is_in_flight(const BufferHandle *handle);
// Frees what was kept for requests that are complete now; of a worker also counters that nobody uses any more.
void sweep(Counter &counter);
void sweep(Worker &worker);

// Reads the arguments of a function that binds an operation, and collects what the operation is to hold.
class Arguments {
 public:
  explicit Arguments(const Napi::CallbackInfo &info) : info_(info) {}
  Napi::Env env() const { return info_.Env(); }
  Napi::Value next() { return info_[index_++]; }
  double number() { return next().As<Napi::Number>().DoubleValue(); }
  size_t size() { return read_size(next()); }
  bool flag() { return next().ToBoolean(); }
  uint64_t uint64() { return read_uint64(next()); }
  bool has_next() const { return !info_[index_].IsUndefined(); }

  // What else the operation uses.
  void use(std::shared_ptr<Box> box) { uses_.push_back(std::move(box)); }

  Bytes bytes(const char *what) { return bytes(next(), what); }
  Bytes bytes(const Napi::Value &value, const char *what) {
    const Bytes bytes = bytes_of(env(), value, what);
    values_.push_back(value);
    return bytes;
  }

  template <class T>
  std::shared_ptr<T> box() {
    const Napi::Value value = next();
    auto box = unwrap<T>(value);
    values_.push_back(value);
    uses_.push_back(box);
    return box;
  }

  // The next argument where it is not undefined.
  template <class T>
  std::shared_ptr<T> optional_box() {
    if (has_next()) return box<T>();
    next();
    return nullptr;
  }

  // Makes the JavaScript function of an operation, which then owns it.
  Napi::Value finish(UcpOperation *operation, napi_callback callback);

 private:
  const Napi::CallbackInfo &info_;
  size_t index_ = 0;
  std::vector<napi_value> values_;
  std::vector<std::shared_ptr<Box>> uses_;
};

template <class T>
T *make_operation(const char *name) {
  auto *operation = new T;
  init_operation(operation, "ucp", name, kOperationAnyThread);
  operation->free = [](UcpOperation *self) { delete static_cast<T *>(self); };
  return operation;
}

// What a request tells when it is complete: that alone (sends), the message's tag, or its length.
enum class Completion { kSend, kTag, kLength };

template <void (*kDone)(void *request, ucs_status_t status, void *data)>
void set_callback(ucp_request_param_t &param, Completion completion) {
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  if (completion == Completion::kSend) {
    param.cb.send = kDone;
  } else if (completion == Completion::kTag) {
    param.cb.recv = [](void *request, ucs_status_t status, const ucp_tag_recv_info_t *, void *data) {
      kDone(request, status, data);
    };
  } else {
    param.cb.recv_stream = [](void *request, ucs_status_t status, size_t, void *data) { kDone(request, status, data); };
  }
}

// Posts a call. The counter is raised after the call: UCX may complete the request within it, which takes it below for
// a moment.
template <class Call>
inline __attribute__((always_inline)) int32_t post(Call &call, const ucp_request_param_t *param, Counter *counter) {
  const ucs_status_ptr_t request = call.post(param);
  if (__builtin_expect(request == nullptr, 1)) return UCS_OK;
  if (__builtin_expect(UCS_PTR_IS_ERR(request), 0)) return UCS_PTR_STATUS(request);
  ++counter->count;
  return UCS_OK;
}

template <class Call>
struct Posting final : UcpOperation {
  Call call;
};

// Waits for a place, and for whatever the call waits for itself.
template <class Call, class Wait>
inline __attribute__((always_inline)) int32_t prepare(Posting<Call> *operation, Counter *counter, Context *context) {
  if (__builtin_expect(counter->count >= counter->limit, 0)) {
    const int32_t code = wait_for_place<Wait>(operation->worker, counter, context);
    if (code != 0) return code;
  }
  return operation->call.template prepare<Wait>(operation->worker, context);
}

template <class Call, class Wait>
int32_t execute_posting(Operation *self, Context *context) {
  auto *operation = static_cast<Posting<Call> *>(self);
  const int32_t code = prepare<Call, Wait>(operation, operation->counter, context);
  if (__builtin_expect(code != 0, 0)) return code;
  return post(operation->call, &operation->param, operation->counter);
}

// A cancelled wait leaves its request to the worker, except that a receive of a tagged message is taken back: UCX can't
// do that with those of streams.
template <class Call, class Wait>
int32_t wait_for_call(UcpOperation *operation, ucs_status_ptr_t request, Context *context) {
  Counter *counter = operation->counter;
  const int32_t code = wait_for_all<Wait>(operation->worker, counter, context);
  if (__builtin_expect(code == 0 || counter->count == 0, 1)) return code;
  if (Call::kCompletion != Completion::kSend) ucp_request_cancel(operation->worker->handle, request);
  counter->take_failure();
  return code;
}

template <class Call, class Wait>
int32_t execute_blocking(Operation *self, Context *context) {
  auto *operation = static_cast<Posting<Call> *>(self);
  int32_t code = prepare<Call, Wait>(operation, operation->shared, context);
  if (__builtin_expect(code != 0, 0)) return code;
  const ucs_status_ptr_t request = operation->call.post(&operation->param);
  if (__builtin_expect(request == nullptr, 1)) return UCS_OK;
  if (__builtin_expect(UCS_PTR_IS_ERR(request), 0)) return UCS_PTR_STATUS(request);
  ++operation->counter->count;
  return wait_for_call<Call, Wait>(operation, request, context);
}

// A request that is asked for its protocol. Whoever comes last, its completion or the question, frees it.
struct Asked {
  Counter *counter;
  bool is_asked = false;
  bool is_done = false;
  ucs_status_t status = UCS_OK;
};

void complete_asked(void *request, ucs_status_t status, void *data);
// Asks, and gives the status where the request is complete already. Takes `asked`.
ucs_status_t ask(UcpOperation *operation, ucs_status_ptr_t request, Asked *asked);

template <class Call>
int32_t execute_asking(Operation *self, Context *context) {
  auto *operation = static_cast<Posting<Call> *>(self);
  if (operation->execute == operation->usual) return operation->usual(self, context);
  Counter *place = operation->shared != nullptr ? operation->shared : operation->counter;
  const int32_t code = prepare<Call, Spin>(operation, place, context);
  if (code != 0) return code;
  ucp_request_param_t param = operation->param;
  auto *asked = new Asked{operation->counter};
  param.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.user_data = asked;
  set_callback<complete_asked>(param, Call::kCompletion);
  operation->execute = operation->usual;
  const ucs_status_ptr_t request = operation->call.post(&param);
  if (request == nullptr || UCS_PTR_IS_ERR(request)) {
    delete asked;
    return UCS_PTR_STATUS(request);
  }
  const ucs_status_t status = ask(operation, request, asked);
  if (operation->shared == nullptr || !operation->in_flight()) return status;
  return wait_for_call<Call, Spin>(operation, request, context);
}

// How an operation waits.
struct Modes {
  bool blocking = false;
  bool sleep = false;
};

template <class Call, int32_t (*kExecute)(Operation *self, Context *context)>
Napi::Value finish_as(Arguments &arguments, Posting<Call> *operation) {
  operation->execute = operation->usual = kExecute;
  operation->asking = execute_asking<Call>;
  return arguments.finish(operation, fabricbench::detail::call_inlined<kExecute>);
}

void require_sleep(Napi::Env env, const Worker &worker);
// Sets where the operation's requests count: in a counter of its own where there is none for them, as for the one call
// that a blocking form waits for.
void use_own_counter(UcpOperation *operation, const std::shared_ptr<Worker> &worker, Completion completion);
void use_counter(UcpOperation *operation, const std::shared_ptr<Worker> &worker, Counter *counter, bool blocking,
                 Completion completion);

// Makes an operation of a call whose arguments have been read, all but the modes.
template <class Call>
Napi::Value finish_posting(Arguments &arguments, std::unique_ptr<Posting<Call>> operation,
                           const std::shared_ptr<Worker> &worker, Counter *counter, Modes modes) {
  if (counter->worker != worker) {
    throw Napi::TypeError::New(arguments.env(), std::string(operation->name) +
                                                    ": the counter belongs to another worker than the call: use one "
                                                    "that its own worker made");
  }
  if (modes.sleep) require_sleep(arguments.env(), *worker);
  use_counter(operation.get(), worker, counter, modes.blocking, Call::kCompletion);
  Posting<Call> *raw = operation.release();
  if (modes.blocking && modes.sleep) return finish_as<Call, execute_blocking<Call, Sleep>>(arguments, raw);
  if (modes.blocking) return finish_as<Call, execute_blocking<Call, Spin>>(arguments, raw);
  if (modes.sleep) return finish_as<Call, execute_posting<Call, Sleep>>(arguments, raw);
  return finish_as<Call, execute_posting<Call, Spin>>(arguments, raw);
}

// Makes an operation that waits until nothing of a counter is in flight.
Napi::Value finish_complete(Arguments &arguments, const std::shared_ptr<Worker> &worker, Counter *counter, bool sleep);

// Buffer and length of a message, as one piece or several: sets `pieces` and the parameters.
struct Data {
  void *buffer = nullptr;
  size_t count = 0;
  size_t length = 0;
};

// The next arguments: buffer, length, lengths (or undefined), stride, memory (or undefined), multiSend.
Data read_data(Arguments &arguments, UcpOperation *operation);

// What most calls have: nothing to wait for before they are posted.
struct PlainCall {
  template <class Wait>
  int32_t prepare(Worker *, Context *) {
    return 0;
  }
};

}  // namespace fabricbench::ucx::ucp
