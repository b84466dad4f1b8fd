#include "ucx/uct_objects.hpp"

#include <unordered_set>
#include <utility>

namespace fabricbench::ucx {
namespace {

// Never destroyed: operations may be finalised when Node is gone already.
std::unordered_set<UctOperation *> &living() {
  static auto *operations = new std::unordered_set<UctOperation *>();
  return *operations;
}

}  // namespace

UctOperation::UctOperation() { living().insert(this); }

UctOperation::~UctOperation() { living().erase(this); }

UctLasting::~UctLasting() {
  if (!counter) return;
  counter->sweep();
  if (counter->idle()) return;
  for (UctHold &hold : holds) counter->leftovers.push_back(std::move(hold));
}

UctHold::UctHold(Napi::Value value, bool uses) : env_(value.Env()) {
  check_status(env_, napi_create_reference(env_, value, 1, &reference_));
  if (uses) handle_ = engine_buffer_of(env_, value);
  if (handle_ == nullptr) return;
  hold_buffer(handle_);
  ++handle_->users;
}

UctHold::UctHold(UctHold &&other) noexcept
    : env_(other.env_),
      reference_(std::exchange(other.reference_, nullptr)),
      handle_(std::exchange(other.handle_, nullptr)) {}

UctHold::~UctHold() {
  if (reference_ != nullptr) napi_delete_reference(env_, reference_);
  if (handle_ == nullptr) return;
  --handle_->users;
  release_buffer(handle_);
}

size_t uct_users(const void *object) {
  size_t users = 0;
  for (const UctOperation *operation : living()) {
    if (operation->released != 0) continue;
    for (const auto &used : operation->uses) users += used.get() == object ? 1 : 0;
  }
  return users;
}

void uct_require_unused(Napi::Env env, const void *object, const std::string &what, const char *verb) {
  const size_t users = uct_users(object);
  if (users == 0) return;
  throw Napi::Error::New(
      env, what + " can't be " + verb + ": " +
               (users == 1 ? "an operation still uses it" : std::to_string(users) + " operations still use it") +
               "; release first");
}

void uct_take_id(Napi::Env env, UctIface &iface, uint8_t id, uct_am_callback_t handler, void *argument) {
  const uint64_t bit = uint64_t{1} << id;
  if ((iface.handlers & bit) != 0) {
    throw Napi::RangeError::New(env, "active message id " + std::to_string(id) + " of " + iface.name +
                                         " has a handler already: close it first, or use another id");
  }
  uct_check(env, "uct_iface_set_am_handler", uct_iface_set_am_handler(iface.iface, id, handler, argument, 0));
  iface.handlers |= bit;
}

void uct_leave_id(UctIface &iface, uint8_t id) {
  uct_iface_set_am_handler(iface.iface, id, nullptr, nullptr, 0);
  iface.handlers &= ~(uint64_t{1} << id);
}

}  // namespace fabricbench::ucx
