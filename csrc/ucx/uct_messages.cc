// Handlers of active messages: those that count, and those that take acknowledgements.
#include <algorithm>
#include <cstring>

#include "engine/bytes_js.hpp"
#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {
namespace {

ucs_status_t count(void *argument, void *, size_t, unsigned) {
  ++static_cast<UctMessages *>(argument)->arrived;
  return UCS_OK;
}

ucs_status_t copy(void *argument, void *data, size_t length, unsigned) {
  auto *messages = static_cast<UctMessages *>(argument);
  memcpy(messages->into, data, std::min(length, messages->capacity));
  ++messages->arrived;
  return UCS_OK;
}

// The header is the total of all acknowledged so far. One may overtake another on several lanes.
ucs_status_t take_acknowledgement(void *argument, void *data, size_t length, unsigned) {
  auto *pacing = static_cast<UctPacing *>(argument);
  uint64_t total = 0;
  memcpy(&total, data, std::min(length, sizeof total));
  pacing->acknowledged = std::max(pacing->acknowledged, total);
  return UCS_OK;
}

// uctMessages(iface, id, into?)
Napi::Value messages(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  auto made = std::make_shared<UctMessages>();
  made->id = static_cast<uint8_t>(info[1].As<Napi::Number>().Uint32Value());
  const bool copies = !info[2].IsUndefined();
  if (copies) {
    const Bytes into = bytes_of(info.Env(), info[2], "into");
    made->into = into.data;
    made->capacity = into.byte_length;
    made->holds.emplace_back(info[2], true);
  }
  uct_take_id(info.Env(), *iface, made->id, copies ? copy : count, made.get());
  uct_opened(*made, iface);
  made->itself = made;
  return uct_box(info.Env(), made);
}

// uctPacing(iface, id, window)
Napi::Value pacing(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  auto made = std::make_shared<UctPacing>();
  made->id = static_cast<uint8_t>(info[1].As<Napi::Number>().Uint32Value());
  made->window = info[2].As<Napi::Number>().Int64Value();
  uct_take_id(info.Env(), *iface, made->id, take_acknowledgement, made.get());
  uct_opened(*made, iface);
  made->itself = made;
  return uct_box(info.Env(), made);
}

// uctMessagesClose(messages), uctPacingClose(pacing)
template <class T>
bool close(const Napi::CallbackInfo &info) {
  const auto object = uct_unbox<T>(info[0]);
  if (object->closed) return false;
  uct_require_unused(info.Env(), object.get(), T::kWhat, "closed");
  uct_leave_id(*object->iface, object->id);
  uct_closed(*object);
  return true;
}

void messages_close(const Napi::CallbackInfo &info) {
  if (close<UctMessages>(info)) uct_unbox<UctMessages>(info[0])->holds.clear();
}

void pacing_close(const Napi::CallbackInfo &info) { close<UctPacing>(info); }

Napi::Value arrived(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(uct_unbox<UctMessages>(info[0])->arrived));
}

Napi::Value acknowledged(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(uct_unbox<UctPacing>(info[0])->acknowledged));
}

}  // namespace

void register_uct_messages(Napi::Env env, Napi::Object exports) {
  exports.Set("uctMessages", Napi::Function::New(env, messages));
  exports.Set("uctMessagesArrived", Napi::Function::New(env, arrived));
  exports.Set("uctMessagesClose", Napi::Function::New(env, messages_close));
  exports.Set("uctPacing", Napi::Function::New(env, pacing));
  exports.Set("uctPacingAcknowledged", Napi::Function::New(env, acknowledged));
  exports.Set("uctPacingClose", Napi::Function::New(env, pacing_close));
}

}  // namespace fabricbench::ucx
