#include "ucx/ucp_call.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace fabricbench::ucx::ucp {
namespace {

// Every operation that exists. JavaScript thread only.
std::unordered_set<UcpOperation *> &operations() {
  static auto *all = new std::unordered_set<UcpOperation *>();
  return *all;
}

// Frees an operation, unless requests of it are in flight: then its counter keeps it until they are complete.
void destroy(Operation *self) {
  if (is_ending()) return;
  auto *operation = static_cast<UcpOperation *>(self);
  if (!operation->in_flight()) return operation->free(operation);
  operation->is_leftover = true;
  operation->counter->leftovers.push_back(operation);
}

bool uses(const UcpOperation &operation, const Box *box) {
  return std::any_of(operation.uses.begin(), operation.uses.end(),
                     [box](const auto &each) { return each.get() == box; });
}

}  // namespace

UcpOperation::UcpOperation() : Operation{} { operations().insert(this); }
UcpOperation::~UcpOperation() { operations().erase(this); }

UcpOperation *find_operation(Operation *operation) {
  const auto &all = operations();
  const auto found = std::find(all.begin(), all.end(), operation);
  return found == all.end() ? nullptr : *found;
}

uint32_t uses_in_operations(const Box *box, bool in_flight) {
  uint32_t count = 0;
  for (const UcpOperation *operation : operations()) {
    const bool lives = operation->released == 0 && !operation->is_leftover;
    if ((lives || (in_flight && operation->in_flight())) && uses(*operation, box)) ++count;
  }
  return count;
}

bool is_in_flight(const BufferHandle *handle) {
  const auto &all = operations();
  return std::any_of(all.begin(), all.end(),
                     [handle](const auto *each) { return each->in_flight() && each->holds.has(handle); });
}

void sweep(Counter &counter) {
  if (counter.count > 0) return;
  for (UcpOperation *operation : std::exchange(counter.leftovers, {})) operation->free(operation);
}

void sweep(Worker &worker) {
  auto &counters = worker.counters;
  for (const auto &counter : counters) sweep(*counter);
  const auto is_over = [](const auto &each) { return each.use_count() == 1 && each->count == 0; };
  counters.erase(std::remove_if(counters.begin(), counters.end(), is_over), counters.end());
}

Napi::Value Arguments::finish(UcpOperation *operation, napi_callback callback) {
  operation->describe = describe_status;
  operation->destroy = destroy;
  operation->uses = std::move(uses_);
  for (napi_value value : values_) operation->holds.add(env(), value);
  if (operation->worker != nullptr) sweep(*operation->worker);
  return wrap_operation(env(), operation, values_, callback);
}

void complete_asked(void *request, ucs_status_t status, void *data) {
  auto *asked = static_cast<Asked *>(data);
  if (!asked->is_asked) {
    asked->is_done = true;
    asked->status = status;
    return;
  }
  complete_request(request, status, asked->counter);
  delete asked;
}

ucs_status_t ask(UcpOperation *operation, ucs_status_ptr_t request, Asked *asked) {
  char text[1024] = "";
  ucp_request_attr_t attributes = {};
  attributes.field_mask = UCP_REQUEST_ATTR_FIELD_INFO_STRING | UCP_REQUEST_ATTR_FIELD_INFO_STRING_SIZE;
  attributes.debug_string = text;
  attributes.debug_string_size = sizeof text;
  if (ucp_request_query(request, &attributes) == UCS_OK) operation->protocol = text;
  asked->is_asked = true;
  if (!asked->is_done) {
    ++asked->counter->count;
    return UCS_OK;
  }
  const ucs_status_t status = asked->status;
  ucp_request_free(request);
  delete asked;
  return status;
}

void require_sleep(Napi::Env env, const Worker &worker) {
  if (worker.event_fd >= 0) return;
  throw Napi::RangeError::New(env, "sleep needs the feature WAKEUP: name it in init");
}

void use_own_counter(UcpOperation *operation, const std::shared_ptr<Worker> &worker, Completion completion) {
  auto counter = std::make_shared<Counter>();
  counter->worker = worker;
  worker->counters.push_back(counter);
  operation->owned = counter;
  use_counter(operation, worker, counter.get(), false, completion);
}

void use_counter(UcpOperation *operation, const std::shared_ptr<Worker> &worker, Counter *counter, bool blocking,
                 Completion completion) {
  if (blocking) {
    operation->shared = counter;
    return use_own_counter(operation, worker, completion);
  }
  operation->worker = worker.get();
  operation->counter = counter;
  set_callback<complete_request>(operation->param, completion);
  operation->param.user_data = counter;
}

void Sleep::idle(const Worker *worker, int milliseconds) {
  if (ucp_worker_arm(worker->handle) != UCS_OK) return;  // something happens already
  pollfd events = {worker->event_fd, POLLIN, 0};
  poll(&events, 1, milliseconds);
}

static void require_inside(Napi::Env env, const Memory &memory, const Bytes &bytes) {
  const auto *from = static_cast<const char *>(memory.address);
  const auto *data = static_cast<const char *>(bytes.data);
  if (data >= from && data + bytes.byte_length <= from + memory.length) return;
  throw Napi::RangeError::New(env, "the buffer does not lie in the registered memory that is given with it");
}

Data read_data(Arguments &arguments, UcpOperation *operation) {
  const Bytes bytes = arguments.bytes("the buffer");
  Data data;
  data.buffer = bytes.data;
  data.length = data.count = arguments.size();
  const Napi::Value lengths = arguments.next();
  const size_t stride = arguments.size();
  if (lengths.IsArray()) {
    const auto list = lengths.As<Napi::Array>();
    auto *from = static_cast<char *>(bytes.data);
    for (uint32_t i = 0; i < list.Length(); ++i) {
      const size_t length = read_size(list.Get(i));
      operation->pieces.push_back({from, length});
      from += stride == 0 ? length : stride;
    }
    data.buffer = operation->pieces.data();
    data.count = operation->pieces.size();
    operation->param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    operation->param.datatype = ucp_dt_make_iov();
  }
  if (const auto memory = arguments.optional_box<Memory>()) {
    require_inside(arguments.env(), *memory, bytes);
    operation->param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
    operation->param.memh = memory->handle;
  }
  if (arguments.flag()) operation->param.op_attr_mask |= UCP_OP_ATTR_FLAG_MULTI_SEND;
  return data;
}

}  // namespace fabricbench::ucx::ucp
