#include "requests.hpp"

#include <algorithm>
#include <utility>

namespace fabricbench::mpi {
namespace {

std::vector<Requests *> retired;

bool is_complete(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return true;
  int flag = 0;
  return MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag;
}

}  // namespace

Requests::Requests(int count) : length(count), slots(new MPI_Request[static_cast<size_t>(count)]) {
  std::fill_n(slots.get(), count, MPI_REQUEST_NULL);
  keeps.resize(static_cast<size_t>(count));
  marks.resize(static_cast<size_t>(count));
}

std::shared_ptr<Requests> Requests::make(int length) {
  sweep_requests();
  return std::shared_ptr<Requests>(new Requests(length), retire);
}

bool Requests::in_flight() const {
  if (!activity.active || !is_running()) return false;
  for (int i = 0; i < length; ++i) {
    // MPICH 4.0 takes a persistent collective that was never started for one that is under way.
    if (!marks[static_cast<size_t>(i)].unstarted && !is_complete(slots[i])) return true;
  }
  return false;
}

bool Requests::still_active() {
  activity.active =
      std::any_of(slots.get(), slots.get() + length, [](MPI_Request each) { return each != MPI_REQUEST_NULL; });
  return activity.active;
}

void Requests::release_complete() {
  bool idle = true;
  for (int i = 0; i < length; ++i) {
    if (slots[i] == MPI_REQUEST_NULL) {
      keeps[static_cast<size_t>(i)].reset();
    } else {
      idle = false;
    }
  }
  activity.active = !idle;
  if (idle) leftovers.clear();
}

void Requests::free_slot(Napi::Env env, int slot) {
  if (slots[slot] == MPI_REQUEST_NULL) fail(env, "MPI_Request_free", MPI_ERR_REQUEST);
  auto rest = make(1);
  rest->slots[0] = slots[slot];
  rest->activity.active = true;
  rest->keeps[0] = std::move(keeps[static_cast<size_t>(slot)]);
  rest->leftovers = leftovers;
  rest->marks[0] = marks[static_cast<size_t>(slot)];
  slots[slot] = MPI_REQUEST_NULL;
  forget_persistent(slot);
  release_complete();
}

void Requests::make_persistent(int slot) {
  marks[static_cast<size_t>(slot)] = {true, true};
  ++activity.persistent;
  ++activity.unstarted;
}

void Requests::note_start(int slot) {
  Mark &mark = marks[static_cast<size_t>(slot)];
  if (mark.unstarted) --activity.unstarted;
  mark.unstarted = false;
}

void Requests::forget_persistent(int slot) {
  note_start(slot);
  Mark &mark = marks[static_cast<size_t>(slot)];
  if (mark.persistent) --activity.persistent;
  mark.persistent = false;
}

void Requests::retire(Requests *box) {
  // At the end of the environment MPI may still write into buffers: nothing is touched, the process ends.
  if (is_closing()) return;
  if (box->in_flight()) {
    retired.push_back(box);
    return;
  }
  for (int i = 0; i < box->length && is_running(); ++i) {
    if (box->slots[i] != MPI_REQUEST_NULL) MPI_Request_free(&box->slots[i]);
  }
  delete box;
}

Napi::Object wrap_requests(Napi::Env env, std::shared_ptr<Requests> box) {
  const int length = box->length;
  Napi::Object object = wrap<Requests>(env, std::move(box));
  object.DefineProperty(Napi::PropertyDescriptor::Value("length", Napi::Number::New(env, length), napi_enumerable));
  return object;
}

void sweep_requests() {
  if (retired.empty() || !is_running()) return;
  std::vector<Requests *> before;
  before.swap(retired);
  // Asking for a request's state makes progress. What isn't complete retires once more.
  for (Requests *box : before) Requests::retire(box);
}

size_t retired_requests() { return retired.size(); }

void forget_retired_requests() {
  std::vector<Requests *> before;
  before.swap(retired);
  for (Requests *box : before) delete box;
}

}  // namespace fabricbench::mpi
