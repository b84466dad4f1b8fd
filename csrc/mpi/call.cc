#include "call.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_set>

#include "engine/operation_js.hpp"

namespace fabricbench::mpi {
namespace {

// Every bound call that exists. JavaScript thread only.
std::unordered_set<BoundCall *> &bound_calls() {
  static auto *calls = new std::unordered_set<BoundCall *>();
  return *calls;
}

template <int kCode>
int32_t refuse(Operation *, Context *) {
  return kCode;
}

void describe(Operation *, int32_t code, char *text, size_t length) {
  std::snprintf(text, length, "%s", error_text(code).c_str());
}

// Frees a bound call, unless what it started is in use: then the requests keep it until they are complete, and
// persistent ones until they are freed.
void destroy(Operation *operation) {
  auto *call = static_cast<BoundCall *>(operation);
  std::vector<std::shared_ptr<Keeper>> starts;
  starts.swap(call->starts);
  const std::shared_ptr<BoundCall> last(call, FreeBound());
  for (const auto &keeper : starts) {
    if (!keeper->in_use()) continue;
    // Its own references to those requests would keep them for ever.
    call->uses.clear();
    keeper->keep_until_idle(last);
  }
}

}  // namespace

BoundCall::BoundCall(const char *name) : Operation{} {
  const bool any_thread = thread_level() == MPI_THREAD_MULTIPLE;
  init_operation(this, "mpi", name, any_thread ? kOperationAnyThread : 0);
  Operation::describe = mpi::describe;
  Operation::destroy = mpi::destroy;
  bound_calls().insert(this);
}

BoundCall::~BoundCall() { bound_calls().erase(this); }

void BoundCall::disable(int code) {
  execute = code == kFinalized     ? refuse<kFinalized>
            : code == kSessionOver ? refuse<kSessionOver>
                                   : refuse<kHandleFreed>;
  const auto busy = [](const std::shared_ptr<Keeper> &keeper) { return keeper->in_use(); };
  if (std::none_of(starts.begin(), starts.end(), busy)) holds.clear();
}

void disable_users(const void *box) {
  for (BoundCall *call : bound_calls()) {
    const auto is_box = [box](const std::shared_ptr<void> &used) { return used.get() == box; };
    if (std::any_of(call->uses.begin(), call->uses.end(), is_box)) call->disable(kHandleFreed);
  }
}

void disable_life(const Life &life, int code) {
  for (BoundCall *call : bound_calls()) {
    if (call->life.get() == &life) call->disable(code);
  }
}

void disable_all(int code) {
  for (BoundCall *call : bound_calls()) call->disable(code);
}

Napi::Value wrap_bound(Napi::Env env, std::unique_ptr<BoundCall, FreeBound> call, Arguments &arguments,
                       napi_callback callback) {
  call->life = arguments.life();
  call->uses = arguments.take_uses();
  call->starts = arguments.keepers();
  if (!call->starts.empty()) call->holds = arguments.hold();
  const std::vector<Napi::Value> objects = arguments.objects();
  return wrap_operation(env, call.release(), std::vector<napi_value>(objects.begin(), objects.end()), callback);
}

}  // namespace fabricbench::mpi
