#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ucx/ucp_call.hpp"
#include "ucx/ucp_objects.hpp"
#include "ucx/ucs.hpp"

namespace fabricbench::ucx {
namespace ucp {
namespace {

bool ending = false;

// Every object that lives. Never destroyed: at the end of the process Node is gone already.
std::unordered_set<std::shared_ptr<Box>> &living() {
  static auto *boxes = new std::unordered_set<std::shared_ptr<Box>>();
  return *boxes;
}

}  // namespace

bool is_ending() { return ending; }

void watch_for_end(napi_env env) {
  // Hooks run in the reverse order of their adding, so this one comes before Node's finalizers.
  check_status(env, napi_add_env_cleanup_hook(
                        env, [](void *) { ending = true; }, nullptr));
}

Holds::Holds(Holds &&other) noexcept : values_(std::exchange(other.values_, {})) {}

Holds &Holds::operator=(Holds &&other) noexcept {
  clear();
  values_ = std::exchange(other.values_, {});
  return *this;
}

void Holds::add(napi_env env, napi_value value) {
  One one = {env, nullptr, engine_buffer_of(env, value)};
  check_status(env, napi_create_reference(env, value, 1, &one.reference));
  if (one.handle != nullptr) hold_buffer(one.handle);
  values_.push_back(one);
}

bool Holds::has(const BufferHandle *handle) const {
  return std::any_of(values_.begin(), values_.end(), [handle](const One &one) { return one.handle == handle; });
}

void Holds::clear() {
  for (const One &one : std::exchange(values_, {})) {
    if (is_ending()) continue;
    napi_delete_reference(one.env, one.reference);
    if (one.handle != nullptr) release_buffer(one.handle);
  }
}

void keep(std::shared_ptr<Box> box) { living().insert(std::move(box)); }

Napi::Error in_flight_error(Napi::Env env, const Box &box, const char *call) {
  return Napi::Error::New(env, std::string(call) + ": calls in flight use " + box.what + "; complete them first");
}

void require_unused(Napi::Env env, const Box &box, const char *call, const char *mend, bool in_flight) {
  if (uses_in_operations(&box) > 0) {
    throw Napi::Error::New(env, std::string(call) + ": operations hold " + box.what + "; release them first");
  }
  if (in_flight && uses_in_operations(&box, true) > 0) throw in_flight_error(env, box, call);
  if (box.children > 0) throw Napi::Error::New(env, std::string(call) + ": " + mend);
}

void forget(Box &box) {
  box.gone = true;
  auto &boxes = living();
  for (auto each = boxes.begin(); each != boxes.end(); ++each) {
    if (each->get() != &box) continue;
    boxes.erase(each);
    return;
  }
}

}  // namespace ucp

void register_ucp(Napi::Env env, Napi::Object exports) {
  ucp::watch_for_end(env);
  ucp::export_context(env, exports);
  ucp::export_worker(env, exports);
  ucp::export_endpoint(env, exports);
  ucp::export_memory(env, exports);
  ucp::export_tag(env, exports);
  ucp::export_stream(env, exports);
  ucp::export_active_messages(env, exports);
  ucp::export_remote_memory(env, exports);
  ucp::export_waiting(env, exports);
  ucp::export_channel(env, exports);
}

}  // namespace fabricbench::ucx
