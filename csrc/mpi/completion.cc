// Completing, starting and freeing requests.
//
// The immediate forms take a Request, a RequestArray (with an index where one request is meant), or an array of
// Requests; the bound forms take a RequestArray or Request, whose slots are native memory.
#include <utility>

#include "register.hpp"

namespace fabricbench::mpi {
namespace {

// One slot: `request`, or `requests, index`.
struct OneRequest {
  std::shared_ptr<Requests> box;
  int index = 0;
  explicit OneRequest(Arguments &a) : box(a.requests()) {
    if (a.more() && a.peek().IsNumber()) {
      index = a.integer("index");
    } else if (box->length != 1) {
      a.refuse("an index must follow a request array");
    }
    if (index < 0 || index >= box->length)
      a.refuse_range("index " + std::to_string(index) + " is outside of the array");
  }
  MPI_Request *slot() const { return &box->slots[index]; }
};

// Many slots. For an array of JavaScript's own the requests are copied in, and back by `settle`.
struct ManyRequests {
  std::shared_ptr<Requests> box;  // empty for an array
  std::vector<std::shared_ptr<Requests>> boxes;
  std::vector<MPI_Request> copies;
  MPI_Request *slots = nullptr;
  int length = 0;
  Activity own;
  Activity *activity = &own;

  explicit ManyRequests(Arguments &a) {
    if (!a.is_bound() && a.more() && a.peek().IsArray()) {
      boxes = a.handles<Requests>("requests");
      for (const auto &each : boxes) {
        if (each->length != 1) a.refuse("an array of requests holds single requests only");
        copies.push_back(each->slots[0]);
      }
      slots = copies.data();
      length = static_cast<int>(copies.size());
    } else {
      box = a.requests();
      slots = box->slots.get();
      length = box->length;
      activity = &box->activity;
    }
  }
  static void note_starts(Requests &each) {
    for (int i = 0; i < each.length; ++i) each.note_start(i);
  }
  void settle() {
    for (size_t i = 0; i < boxes.size(); ++i) {
      boxes[i]->slots[0] = copies[i];
      boxes[i]->release_complete();
    }
    if (box) box->release_complete();
  }
};

Napi::Value status_or_undefined(Napi::Env env, bool wanted, const MPI_Status &status) {
  return wanted ? make_status(env, status) : Napi::Value(env.Undefined());
}

Napi::Value make_statuses(Napi::Env env, const std::vector<MPI_Status> &statuses, size_t length) {
  auto result = Napi::Array::New(env, length);
  for (size_t i = 0; i < length; ++i) result.Set(static_cast<uint32_t>(i), make_status(env, statuses[i]));
  return result;
}

// Finds the request behind MPI_ERR_IN_STATUS; puts its code into `code` and says which it was.
std::string find_failed(const std::vector<MPI_Status> &statuses, size_t length, int &code) {
  if (code != MPI_ERR_IN_STATUS) return "";
  for (size_t i = 0; i < length; ++i) {
    const int each = statuses[i].MPI_ERROR;
    if (each == MPI_SUCCESS || each == MPI_ERR_PENDING) continue;
    code = each;
    return "request " + std::to_string(i) + ": ";
  }
  return "";
}

// (request [, index] [, STATUS_IGNORE])
struct Wait {
  OneRequest request;
  bool wanted;
  MPI_Request *slot;
  MPI_Status storage{};
  MPI_Status *status;
  explicit Wait(Arguments &a)
      : request(a), wanted(a.wants_status()), slot(request.slot()), status(wanted ? &storage : MPI_STATUS_IGNORE) {}
  Wait(const Wait &) = delete;
  int run() { return MPI_Wait(slot, status); }
  void settle() { request.box->release_complete(); }
  Napi::Value result(Napi::Env env) const { return status_or_undefined(env, wanted, storage); }
};

// The status once complete, else null.
struct Test {
  OneRequest request;
  MPI_Request *slot;
  int flag = 0;
  MPI_Status status{};
  explicit Test(Arguments &a) : request(a), slot(request.slot()) {}
  int run() { return MPI_Test(slot, &flag, &status); }
  void settle() { request.box->release_complete(); }
  Napi::Value result(Napi::Env env) const { return flag ? make_status(env, status) : Napi::Value(env.Null()); }
};

// (requests [, STATUSES_IGNORE])
struct Waitall {
  ManyRequests requests;
  bool wanted;
  std::vector<MPI_Status> statuses;
  MPI_Status *status = MPI_STATUSES_IGNORE;
  explicit Waitall(Arguments &a) : requests(a), wanted(a.wants_status()) {
    if (a.is_bound()) return;
    statuses.resize(static_cast<size_t>(requests.length) + 1);  // +1: MPI wants an address even for none
    status = statuses.data();
  }
  Waitall(const Waitall &) = delete;
  int run() {
    const int code = MPI_Waitall(requests.length, requests.slots, status);
    requests.activity->active = (code != MPI_SUCCESS) | (requests.activity->persistent != 0);
    return code;
  }
  void settle() { requests.settle(); }
  std::string detail(int &code) const { return find_failed(statuses, size(), code); }
  Napi::Value result(Napi::Env env) const {
    return wanted ? make_statuses(env, statuses, size()) : Napi::Value(env.Undefined());
  }
  size_t size() const { return static_cast<size_t>(requests.length); }
};

// A test for `until`: pending while the request is not complete.
struct TestDone {
  OneRequest request;
  MPI_Request *slot;
  explicit TestDone(Arguments &a) : request(a), slot(request.slot()) {}
  int run() {
    int flag = 0;
    const int code = MPI_Test(slot, &flag, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS && !flag ? kOperationPending : code;
  }
};

// All statuses once all are complete, else null.
struct Testall {
  ManyRequests requests;
  int flag = 0;
  std::vector<MPI_Status> statuses;
  explicit Testall(Arguments &a) : requests(a), statuses(static_cast<size_t>(requests.length) + 1) {}
  Testall(const Testall &) = delete;
  int run() { return MPI_Testall(requests.length, requests.slots, &flag, statuses.data()); }
  void settle() { requests.settle(); }
  std::string detail(int &code) const { return find_failed(statuses, static_cast<size_t>(requests.length), code); }
  Napi::Value result(Napi::Env env) const {
    return flag ? make_statuses(env, statuses, static_cast<size_t>(requests.length)) : Napi::Value(env.Null());
  }
};

Napi::Value index_and_status(Napi::Env env, int index, const MPI_Status &status) {
  auto result = Napi::Object::New(env);
  result.Set("index", Napi::Number::New(env, index));
  result.Set("status", make_status(env, status));
  return result;
}

// {index, status}; index is UNDEFINED where no request is active.
struct Waitany {
  ManyRequests requests;
  int index = MPI_UNDEFINED;
  MPI_Status status{};
  explicit Waitany(Arguments &a) : requests(a) {}
  Waitany(const Waitany &) = delete;
  int run() { return MPI_Waitany(requests.length, requests.slots, &index, &status); }
  void settle() { requests.settle(); }
  Napi::Value result(Napi::Env env) const { return index_and_status(env, index, status); }
};

// The same once one is complete, else null.
struct Testany {
  ManyRequests requests;
  int index = MPI_UNDEFINED, flag = 0;
  MPI_Status status{};
  explicit Testany(Arguments &a) : requests(a) {}
  Testany(const Testany &) = delete;
  int run() { return MPI_Testany(requests.length, requests.slots, &index, &flag, &status); }
  void settle() { requests.settle(); }
  Napi::Value result(Napi::Env env) const {
    return flag ? index_and_status(env, index, status) : Napi::Value(env.Null());
  }
};

// {indices, statuses} of those that are complete; null where no request is active.
template <auto kFunction>
struct SomeCall {
  ManyRequests requests;
  int complete = 0;
  std::vector<int> indices;
  std::vector<MPI_Status> statuses;
  explicit SomeCall(Arguments &a)
      : requests(a),
        indices(static_cast<size_t>(requests.length) + 1),
        statuses(static_cast<size_t>(requests.length) + 1) {}
  SomeCall(const SomeCall &) = delete;
  int run() { return kFunction(requests.length, requests.slots, &complete, indices.data(), statuses.data()); }
  void settle() { requests.settle(); }
  std::string detail(int &code) const { return find_failed(statuses, size(), code); }
  size_t size() const { return complete == MPI_UNDEFINED ? 0 : static_cast<size_t>(complete); }
  Napi::Value result(Napi::Env env) const {
    if (complete == MPI_UNDEFINED) return env.Null();
    auto list = Napi::Array::New(env, size());
    for (size_t i = 0; i < size(); ++i) list.Set(static_cast<uint32_t>(i), Napi::Number::New(env, indices[i]));
    auto result = Napi::Object::New(env);
    result.Set("indices", list);
    result.Set("statuses", make_statuses(env, statuses, size()));
    return result;
  }
};

// (request [, index]): starts a persistent request.
struct Start {
  OneRequest request;
  MPI_Request *slot;
  explicit Start(Arguments &a) : request(a), slot(request.slot()) {}
  int run() {
    if (__builtin_expect(request.box->activity.unstarted, 0)) request.box->note_start(request.index);
    return MPI_Start(slot);
  }
  Napi::Value result(Napi::Env env) const { return env.Undefined(); }
};

struct Startall {
  ManyRequests requests;
  explicit Startall(Arguments &a) : requests(a) {}
  Startall(const Startall &) = delete;
  int run() {
    if (__builtin_expect(requests.box && requests.box->activity.unstarted, 0)) requests.note_starts(*requests.box);
    for (const auto &each : requests.boxes) requests.note_starts(*each);
    return MPI_Startall(requests.length, requests.slots);
  }
  Napi::Value result(Napi::Env env) const { return env.Undefined(); }
};

Napi::Value cancel(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cancel", Form::kImmediate);
  const OneRequest request(a);
  a.done();
  check(a.env(), a.call(), MPI_Cancel(request.slot()));
  return a.env().Undefined();
}

// Memory-safe: what is in flight keeps its buffer until it is complete.
Napi::Value request_free(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Request_free", Form::kImmediate);
  const OneRequest request(a);
  a.done();
  request.box->free_slot(a.env(), request.index);
  return a.env().Undefined();
}

// requests(n): n native slots for bound operations.
Napi::Value make_requests(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI.requests", Form::kImmediate);
  const int length = a.integer("length");
  a.done();
  if (length < 1) a.refuse_range("length must be at least 1, not " + std::to_string(length));
  return wrap_requests(a.env(), Requests::make(length));
}

// Ends a request array: refused while anything is in flight. Operations bound to it fail from now on, and let go of
// their buffers.
Napi::Value free_requests(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI.freeRequests", Form::kImmediate);
  const auto box = a.requests();
  a.done();
  if (box->in_flight())
    throw Napi::Error::New(a.env(), "MPI.freeRequests: requests are in flight; complete them first");
  for (int i = 0; i < box->length; ++i) {
    if (box->slots[i] != MPI_REQUEST_NULL) check(a.env(), a.call(), MPI_Request_free(&box->slots[i]));
    box->forget_persistent(i);
  }
  box->release_complete();
  box->freed = true;
  disable_users(box.get());
  return a.env().Undefined();
}

// For tests: how many requests were dropped in flight and still keep their buffers.
Napi::Value count_retired(const Napi::CallbackInfo &info) {
  sweep_requests();
  return Napi::Number::New(info.Env(), static_cast<double>(retired_requests()));
}

}  // namespace

void register_completion(Registry &r) {
  r.add<Wait>("MPI_Wait");
  r.add<Test>("MPI_Test");
  r.add_bound<TestDone>("MPI_TestDone");
  r.add<Waitall>("MPI_Waitall");
  r.add<Testall>("MPI_Testall");
  r.add<Waitany>("MPI_Waitany");
  r.add<Testany>("MPI_Testany");
  r.add<SomeCall<MPI_Waitsome>>("MPI_Waitsome");
  r.add<SomeCall<MPI_Testsome>>("MPI_Testsome");
  r.add<Start>("MPI_Start");
  r.add<Startall>("MPI_Startall");
  r.function<cancel>("Cancel");
  r.function<request_free>("Request_free");
  r.function<make_requests>("requests");
  r.function<free_requests>("freeRequests");
  r.function<count_retired>("retiredRequests");
}

}  // namespace fabricbench::mpi
