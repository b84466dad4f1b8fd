// The channel's operations.
#include "engine/bytes_js.hpp"
#include "ucx/uct_channel.hpp"

namespace fabricbench::ucx {
namespace {

ucs_status_t take_message(void *argument, void *data, size_t length, unsigned) {
  uint64_t size;
  memcpy(&size, data, sizeof size);
  static_cast<UctChannel *>(argument)->take(static_cast<const char *>(data) + kChannelHeader, length - kChannelHeader,
                                            size);
  return UCS_OK;
}

struct Transfer : UctOperation {
  std::shared_ptr<UctChannel> owner;
  UctChannel *channel = nullptr;
  uct_ep_h ep = nullptr;
  std::vector<char *> buffers;
  size_t size = 0;
  uint32_t window = 1;
  uint8_t id = 0;
  UctHolds holds;
  // Receives may outlive the operation that posted them.
  ~Transfer() {
    if (!owner || owner->closed) return;
    owner->sweep();
    if (owner->finished == owner->posted) return;
    for (UctHold &hold : holds) owner->leftovers.push_back(std::move(hold));
  }
};

// One active message, sent when there is room for it.
template <class Send>
inline __attribute__((always_inline)) int32_t send_piece(const Transfer *transfer, Context *context, Send send) {
  for (;;) {
    const ucs_status_t status = send();
    if (__builtin_expect(status == UCS_OK, 1)) return 0;
    if (status != UCS_ERR_NO_RESOURCE) return status;
    if (uct_turn(transfer->worker, context)) return kOperationCancelled;
  }
}

struct Short {
  static int32_t send(const Transfer *t, Context *context, char *data) {
    return send_piece(t, context,
                      [&] { return uct_ep_am_short(t->ep, t->id, t->size, data, static_cast<unsigned>(t->size)); });
  }
};

struct Piece {
  uint64_t size;
  const char *data;
  size_t length;
};

size_t pack_piece(void *to, void *argument) {
  const auto *piece = static_cast<const Piece *>(argument);
  memcpy(to, &piece->size, kChannelHeader);
  memcpy(static_cast<char *>(to) + kChannelHeader, piece->data, piece->length);
  return kChannelHeader + piece->length;
}

struct Copied {
  static int32_t send(const Transfer *t, Context *context, char *data) {
    const size_t most = t->channel->max_piece;
    for (size_t sent = 0;;) {
      Piece piece = {t->size, data + sent, t->size - sent < most ? t->size - sent : most};
      const int32_t code =
          send_piece(t, context, [&] { return uct_status_of(uct_ep_am_bcopy(t->ep, t->id, pack_piece, &piece, 0)); });
      sent += piece.length;
      if (code != 0 || sent == t->size) return code;
    }
  }
};

template <class How>
int32_t execute_send(Operation *self, Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  return How::send(transfer, context, transfer->buffers[0]);
}

template <class How>
int32_t execute_start_sends(Operation *self, Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  char *const *next = transfer->buffers.data();
  char *const *const end = next + transfer->buffers.size();
  for (uint32_t i = 0; i < transfer->window; ++i) {
    const int32_t code = How::send(transfer, context, *next);
    if (code != 0) return code;
    if (++next == end) next = transfer->buffers.data();
  }
  return 0;
}

inline int32_t await_receives(const Transfer *transfer, Context *context) {
  const UctChannel *channel = transfer->channel;
  const uint64_t all = channel->posted;
  while (channel->finished != all) {
    if (channel->error != UCS_OK) return channel->error;
    if (uct_turn(transfer->worker, context)) return kOperationCancelled;
  }
  return channel->error;
}

int32_t execute_receive(Operation *self, Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  transfer->channel->post(transfer->buffers[0], transfer->size);
  return await_receives(transfer, context);
}

int32_t execute_start_receives(Operation *self, Context *) {
  auto *transfer = static_cast<Transfer *>(self);
  char *const *next = transfer->buffers.data();
  char *const *const end = next + transfer->buffers.size();
  for (uint32_t i = 0; i < transfer->window; ++i) {
    transfer->channel->post(*next, transfer->size);
    if (++next == end) next = transfer->buffers.data();
  }
  return transfer->channel->error;
}

int32_t execute_complete_receives(Operation *self, Context *context) {
  return await_receives(static_cast<Transfer *>(self), context);
}

// Sends are complete as soon as they are posted; this sees to it that they leave without further progress.
int32_t execute_complete_sends(Operation *self, Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  for (;;) {
    const ucs_status_t status = uct_iface_flush(transfer->channel->iface->iface, 0, nullptr);
    if (status == UCS_OK) return 0;
    if (status != UCS_INPROGRESS && status != UCS_ERR_NO_RESOURCE) return status;
    if (uct_turn(transfer->worker, context)) return kOperationCancelled;
  }
}

using Execute = int32_t (*)(Operation *, Context *);

// Makes an operation of (channel, buffers?, size?, window?).
template <Execute kExecute>
Napi::Value wrap(const Napi::CallbackInfo &info, const char *name) {
  const auto channel = uct_unbox<UctChannel>(info[0]);
  auto *transfer = new_operation<Transfer>(kUct, name, kExecute);
  std::vector<napi_value> holds;
  try {
    channel->sweep();
    transfer->owner = channel;
    transfer->channel = channel.get();
    transfer->ep = channel->ep->ep;
    transfer->worker = channel->iface->worker;
    transfer->id = channel->id;
    transfer->uses = {channel};
    const auto buffers = info[1].IsArray() ? info[1].As<Napi::Array>() : Napi::Array::New(info.Env());
    for (uint32_t i = 0; i < buffers.Length(); ++i) {
      const Napi::Value buffer = buffers[i];
      transfer->buffers.push_back(static_cast<char *>(bytes_of(info.Env(), buffer, "the buffer").data));
      transfer->holds.emplace_back(buffer, false);
      holds.push_back(buffer);
    }
    if (info[2].IsNumber()) transfer->size = static_cast<size_t>(info[2].As<Napi::Number>().Int64Value());
    if (info[3].IsNumber()) transfer->window = info[3].As<Napi::Number>().Uint32Value();
  } catch (...) {
    delete transfer;
    throw;
  }
  return wrap_operation(info.Env(), transfer, holds, detail::call_inlined<kExecute>);
}

bool goes_short(const Napi::CallbackInfo &info) {
  const auto channel = uct_unbox<UctChannel>(info[0]);
  return channel->has_short && static_cast<size_t>(info[2].As<Napi::Number>().Int64Value()) <= channel->max_short;
}

// uctChannelSend(channel, [buffer], size)
Napi::Value send(const Napi::CallbackInfo &info) {
  return goes_short(info) ? wrap<execute_send<Short>>(info, "send") : wrap<execute_send<Copied>>(info, "send");
}

// uctChannelStartSends(channel, buffers, size, window)
Napi::Value start_sends(const Napi::CallbackInfo &info) {
  if (goes_short(info)) return wrap<execute_start_sends<Short>>(info, "startSends");
  return wrap<execute_start_sends<Copied>>(info, "startSends");
}

// uctChannelReceive(channel, [buffer], size)
Napi::Value receive(const Napi::CallbackInfo &info) { return wrap<execute_receive>(info, "receive"); }

// uctChannelStartReceives(channel, buffers, size, window)
Napi::Value start_receives(const Napi::CallbackInfo &info) {
  return wrap<execute_start_receives>(info, "startReceives");
}

Napi::Value complete_sends(const Napi::CallbackInfo &info) {
  return wrap<execute_complete_sends>(info, "completeSends");
}

Napi::Value complete_receives(const Napi::CallbackInfo &info) {
  return wrap<execute_complete_receives>(info, "completeReceives");
}

// uctChannel(endpoint, id)
Napi::Value make(const Napi::CallbackInfo &info) {
  const auto ep = uct_unbox<UctEp>(info[0]);
  const uct_iface_attr_t &has = ep->iface->attributes;
  auto channel = std::make_shared<UctChannel>();
  channel->ep = ep;
  channel->id = static_cast<uint8_t>(info[1].As<Napi::Number>().Uint32Value());
  channel->has_short = (has.cap.flags & UCT_IFACE_FLAG_AM_SHORT) != 0 && has.cap.am.max_short >= kChannelHeader;
  channel->max_short = has.cap.am.max_short - kChannelHeader;
  channel->max_piece = has.cap.am.max_bcopy - kChannelHeader;
  uct_take_id(info.Env(), *ep->iface, channel->id, take_message, channel.get());
  uct_opened(*channel, ep->iface);
  ++ep->channels;
  channel->itself = channel;
  return uct_box(info.Env(), channel);
}

// uctChannelClose(channel)
void close(const Napi::CallbackInfo &info) {
  const auto channel = uct_unbox<UctChannel>(info[0]);
  if (channel->closed) return;
  uct_require_unused(info.Env(), channel.get(), UctChannel::kWhat, "closed");
  uct_leave_id(*channel->iface, channel->id);
  --channel->ep->channels;
  channel->leftovers.clear();
  uct_closed(*channel);
}

}  // namespace

void register_uct_channel(Napi::Env env, Napi::Object exports) {
  exports.Set("uctChannel", Napi::Function::New(env, make));
  exports.Set("uctChannelClose", Napi::Function::New(env, close));
  exports.Set("uctChannelSend", Napi::Function::New(env, send));
  exports.Set("uctChannelStartSends", Napi::Function::New(env, start_sends));
  exports.Set("uctChannelReceive", Napi::Function::New(env, receive));
  exports.Set("uctChannelStartReceives", Napi::Function::New(env, start_receives));
  exports.Set("uctChannelCompleteSends", Napi::Function::New(env, complete_sends));
  exports.Set("uctChannelCompleteReceives", Napi::Function::New(env, complete_receives));
}

}  // namespace fabricbench::ucx
