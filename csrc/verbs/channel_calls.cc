// Operations of a channel.
#include <cerrno>
#include <cstdio>

#include "verbs/channel.hpp"
#include "verbs/channel_js.hpp"
#include "verbs/operations.hpp"

namespace fabricbench::verbs {
namespace {

struct Transfer : VerbsOperation {
  Link *link = nullptr;
  Line *line = nullptr;
  std::vector<Message> messages;  // one for each buffer
  uint32_t window = 1;
  std::shared_ptr<Link> owner;
};

void describe_transfer(Operation *self, int32_t code, char *text, size_t length) {
  if (code != kSizesDiffer) return describe_code(self, code, text, length);
  snprintf(text, length, "a message and its receive differ in size: both ranks must give the same");
}

// Makes progress until `done()`.
template <By kBy, class Done>
inline __attribute__((always_inline)) int32_t wait_until(Link &link, fabricbench::Context *context, Done done) {
  while (!done()) {
    progress<kBy>(link);
    if (__builtin_expect(link.error != 0, 0)) return link.error;
    give_way(context);
    if (__builtin_expect(is_cancelled(context), 0)) return kOperationCancelled;
  }
  return link.error;
}

// Small messages leave at once, in a frame.
template <By kBy>
struct Small {
  static int32_t send(Transfer *t, fabricbench::Context *context, const Message &message) {
    Line &line = *t->line;
    if (__builtin_expect(!line.has_room(), 0)) {
      const int32_t code = wait_until<kBy>(*t->link, context, [&] { return line.has_room(); });
      if (code != 0) return code;
    }
    Trailer says = {};
    says.kind = Kind::kData;
    says.message = line.started++;
    says.size = message.size;
    post_frame<kBy>(line, says, message.data, message.size);
    return t->link->error;
  }
  static int32_t finish(Transfer *t, fabricbench::Context *) { return t->link->error; }
};

// Large ones go from buffer to buffer, once both ends are ready.
template <By kBy>
struct Large {
  static int32_t send(Transfer *t, fabricbench::Context *, const Message &message) {
    queue_send(*t->line, message);
    return t->link->error;
  }
  static int32_t finish(Transfer *t, fabricbench::Context *context) {
    const Line &line = *t->line;
    return wait_until<kBy>(*t->link, context, [&] { return line.completed == line.queued; });
  }
};

template <template <By> class How, By kBy>
int32_t execute_send(Operation *self, fabricbench::Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  const int32_t code = How<kBy>::send(transfer, context, transfer->messages[0]);
  return code != 0 ? code : How<kBy>::finish(transfer, context);
}

template <template <By> class How, By kBy>
int32_t execute_start_sends(Operation *self, fabricbench::Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  const Message *next = transfer->messages.data();
  const Message *const end = next + transfer->messages.size();
  for (uint32_t i = 0; i < transfer->window; ++i) {
    const int32_t code = How<kBy>::send(transfer, context, *next);
    if (code != 0) return code;
    if (++next == end) next = transfer->messages.data();
  }
  progress<kBy>(*transfer->link);
  return transfer->link->error;
}

template <By kBy>
int32_t execute_complete_sends(Operation *self, fabricbench::Context *context) {
  return Large<kBy>::finish(static_cast<Transfer *>(self), context);
}

// By reads the sender waits too, and must have been told before this end turns to something else.
template <By kBy>
int32_t await_receives(Transfer *transfer, fabricbench::Context *context) {
  const Line &line = *transfer->line;
  return wait_until<kBy>(*transfer->link, context, [&] {
    return line.finished == line.posted && (kBy != By::kRead || line.read_told == line.read);
  });
}

template <By kBy>
int32_t execute_receive(Operation *self, fabricbench::Context *context) {
  auto *transfer = static_cast<Transfer *>(self);
  post_receive<kBy>(*transfer->line, transfer->messages[0]);
  return await_receives<kBy>(transfer, context);
}

template <By kBy>
int32_t execute_start_receives(Operation *self, fabricbench::Context *) {
  auto *transfer = static_cast<Transfer *>(self);
  const Message *next = transfer->messages.data();
  const Message *const end = next + transfer->messages.size();
  for (uint32_t i = 0; i < transfer->window; ++i) {
    post_receive<kBy>(*transfer->line, *next);
    if (++next == end) next = transfer->messages.data();
  }
  return transfer->link->error;
}

template <By kBy>
int32_t execute_complete_receives(Operation *self, fabricbench::Context *context) {
  return await_receives<kBy>(static_cast<Transfer *>(self), context);
}

template <By kBy>
int32_t execute_progress(Operation *self, fabricbench::Context *) {
  Link &link = *static_cast<Transfer *>(self)->link;
  progress<kBy>(link);
  return link.error;
}

// Waits until all that was sent has arrived.
template <By kBy>
int32_t execute_flush(Operation *self, fabricbench::Context *context) {
  Link &link = *static_cast<Transfer *>(self)->link;
  for (const auto &line : link.lines) {
    if (line->retired == line->sent) continue;
    post_last(*line);
    const int32_t code = wait_until<kBy>(link, context, [&] {
      take_completions(link);
      return line->retired == line->sent;
    });
    if (code != 0) return code;
  }
  return link.error;
}

// What each of the three ways of a link has for a call.
struct Choice {
  Execute by_send, by_write, by_read;
  Execute operator()(By by) const { return by == By::kSend ? by_send : by == By::kWrite ? by_write : by_read; }
};
#define FABRICBENCH_EACH(EXECUTE) \
  Choice { EXECUTE<By::kSend>, EXECUTE<By::kWrite>, EXECUTE<By::kRead> }
#define FABRICBENCH_EACH_OF(EXECUTE, HOW) \
  Choice { EXECUTE<HOW, By::kSend>, EXECUTE<HOW, By::kWrite>, EXECUTE<HOW, By::kRead> }

void read_messages(Transfer &transfer, const Request &request) {
  const auto size = request.number32("size");
  const auto buffers = request.get("buffers").As<Napi::Array>();
  const auto regions = request.get("regions").As<Napi::Array>();
  for (uint32_t i = 0; i < buffers.Length(); ++i) {
    Message message = {static_cast<char *>(bytes_of(request.env(), buffers.Get(i), "the buffer").data), 0, 0, size, 0};
    if (i < regions.Length()) {
      const auto region = unbox<Mr>(regions.Get(i));
      add_use(transfer.uses, region);
      message.lkey = region->mr->lkey;
      message.rkey = region->mr->rkey;
    }
    transfer.messages.push_back(message);
  }
}

// Makes an operation of {link, index?, buffers?, regions?, size?, window?, holds}.
Napi::Value bind(const Request &request, const char *name, const Choice &choice) {
  Uses uses;
  const auto link = request.object<Link>("link", uses);
  const Execute execute = choice(link->by);
  return bind_operation<Transfer>(request, uses, name, execute, [&](Transfer &transfer) {
    transfer.describe = describe_transfer;
    transfer.owner = link;
    transfer.link = link.get();
    if (request.has("index")) transfer.line = link->lines[request.number("index")].get();
    if (request.has("window")) transfer.window = request.number32("window");
    if (request.has("buffers")) read_messages(transfer, request);
  });
}

// By reads all messages are large.
bool is_small(const Request &request) {
  return unbox<Link>(request.get("link"))->by != By::kRead && request.number("size") <= kEager;
}

Napi::Value send(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  return bind(request, "send",
              is_small(request) ? FABRICBENCH_EACH_OF(execute_send, Small) : FABRICBENCH_EACH_OF(execute_send, Large));
}

Napi::Value start_sends(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  return bind(request, "startSends",
              is_small(request) ? FABRICBENCH_EACH_OF(execute_start_sends, Small)
                                : FABRICBENCH_EACH_OF(execute_start_sends, Large));
}

Napi::Value receive(const Napi::CallbackInfo &info) {
  return bind(Request(info[0]), "receive", FABRICBENCH_EACH(execute_receive));
}

Napi::Value start_receives(const Napi::CallbackInfo &info) {
  return bind(Request(info[0]), "startReceives", FABRICBENCH_EACH(execute_start_receives));
}

Napi::Value complete_sends(const Napi::CallbackInfo &info) {
  return bind(Request(info[0]), "completeSends", FABRICBENCH_EACH(execute_complete_sends));
}

Napi::Value complete_receives(const Napi::CallbackInfo &info) {
  return bind(Request(info[0]), "completeReceives", FABRICBENCH_EACH(execute_complete_receives));
}

Napi::Value make_progress(const Napi::CallbackInfo &info) {
  return bind(Request(info[0]), "progress", FABRICBENCH_EACH(execute_progress));
}

Napi::Value flush(const Napi::CallbackInfo &info) {
  return bind(Request(info[0]), "flush", FABRICBENCH_EACH(execute_flush));
}

}  // namespace

void register_channel_calls(Napi::Env env, Napi::Object exports) {
  exports.Set("channelSend", Napi::Function::New(env, send));
  exports.Set("channelReceive", Napi::Function::New(env, receive));
  exports.Set("channelStartSends", Napi::Function::New(env, start_sends));
  exports.Set("channelStartReceives", Napi::Function::New(env, start_receives));
  exports.Set("channelCompleteSends", Napi::Function::New(env, complete_sends));
  exports.Set("channelCompleteReceives", Napi::Function::New(env, complete_receives));
  exports.Set("linkProgress", Napi::Function::New(env, make_progress));
  exports.Set("linkFlush", Napi::Function::New(env, flush));
}

}  // namespace fabricbench::verbs
