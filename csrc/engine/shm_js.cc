// Lines of shared memory as JavaScript sees them; src/engine/shm.ts checks the arguments.
#include <napi.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/addon.hpp"
#include "engine/own_operations.hpp"
#include "engine/shm_segments.hpp"

namespace fabricbench {
namespace {

using Shared = std::shared_ptr<ShmSegments>;
using Execute = int32_t (*)(Operation *, Context *);

struct ShmOperation : Operation {
  Shared segments;  // which own the line
  ShmLine *line;
  std::vector<uint8_t *> data;
  uint8_t *first = nullptr;  // data[0]
  size_t size = 0, window = 0;
};

void describe_shm(Operation *, int32_t code, char *text, size_t length) {
  snprintf(text, length, "%s",
           code == ShmLine::kBroken ? "a message was cut off earlier on this channel: start the program anew"
                                    : "a message was longer than the buffer that it was received into");
}

template <size_t kSize>
int32_t execute_send(Operation *self, Context *context) {
  const auto *operation = static_cast<ShmOperation *>(self);
  return operation->line->send<kSize>(operation->first, operation->size, context);
}

template <size_t kSize>
int32_t execute_receive(Operation *self, Context *context) {
  const auto *operation = static_cast<ShmOperation *>(self);
  return operation->line->receive<kSize>(operation->first, operation->size, context);
}

// Calls `start` for each message of the window.
template <typename Start>
inline __attribute__((always_inline)) int32_t start_window(const ShmOperation *operation, Start start) {
  const size_t buffers = operation->data.size();
  for (size_t i = 0, buffer = 0; i < operation->window; ++i) {
    if (const int32_t code = start(operation->data[buffer])) return code;
    if (++buffer == buffers) buffer = 0;
  }
  return 0;
}

int32_t execute_start_sends(Operation *self, Context *) {
  const auto *operation = static_cast<ShmOperation *>(self);
  return start_window(operation,
                      [operation](uint8_t *data) { return operation->line->start_send(data, operation->size); });
}

int32_t execute_start_receives(Operation *self, Context *) {
  const auto *operation = static_cast<ShmOperation *>(self);
  return start_window(operation,
                      [operation](uint8_t *data) { return operation->line->start_receive(data, operation->size); });
}

int32_t execute_complete_sends(Operation *self, Context *context) {
  return static_cast<ShmOperation *>(self)->line->complete_sends(context);
}

int32_t execute_complete_receives(Operation *self, Context *context) {
  return static_cast<ShmOperation *>(self)->line->complete_receives(context);
}

// Sizes that a copy of known length makes a difference for.
Execute send_of(size_t size) {
  switch (size) {
    case 1:
      return execute_send<1>;
    case 2:
      return execute_send<2>;
    case 4:
      return execute_send<4>;
    case 8:
      return execute_send<8>;
    case 16:
      return execute_send<16>;
    case 32:
      return execute_send<32>;
    default:
      return execute_send<0>;
  }
}

Execute receive_of(size_t size) {
  switch (size) {
    case 1:
      return execute_receive<1>;
    case 2:
      return execute_receive<2>;
    case 4:
      return execute_receive<4>;
    case 8:
      return execute_receive<8>;
    case 16:
      return execute_receive<16>;
    case 32:
      return execute_receive<32>;
    default:
      return execute_receive<0>;
  }
}

template <typename Action>
auto attempt(Napi::Env env, Action action) {
  try {
    return action();
  } catch (const std::string &text) {
    throw Napi::Error::New(env, text);
  }
}

class Segments : public Napi::ObjectWrap<Segments> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "ShmSegments",
        {InstanceAccessor("path", &Segments::path, nullptr), InstanceMethod("open", &Segments::open),
         InstanceMethod("unlink", &Segments::unlink), InstanceMethod("prepare", &Segments::prepare),
         InstanceMethod("forget", &Segments::forget), InstanceMethod("send", &Segments::send),
         InstanceMethod("receive", &Segments::receive), InstanceMethod("startSends", &Segments::start_sends),
         InstanceMethod("startReceives", &Segments::start_receives),
         InstanceMethod("completeSends", &Segments::complete_sends),
         InstanceMethod("completeReceives", &Segments::complete_receives)});
  }

  // new ShmSegments(rank, ranks)
  explicit Segments(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Segments>(info) {
    const auto rank = info[0].As<Napi::Number>().Uint32Value();
    const auto ranks = info[1].As<Napi::Number>().Uint32Value();
    segments_ = attempt(info.Env(), [&] { return std::make_shared<ShmSegments>(rank, ranks); });
  }

 private:
  Napi::Value path(const Napi::CallbackInfo &info) { return Napi::String::New(info.Env(), segments_->path()); }

  // open(paths by rank)
  void open(const Napi::CallbackInfo &info) {
    const auto array = info[0].As<Napi::Array>();
    std::vector<std::string> paths;
    for (uint32_t i = 0; i < array.Length(); ++i) paths.push_back(array.Get(i).As<Napi::String>().Utf8Value());
    attempt(info.Env(), [&] { segments_->open(paths); });
  }

  void unlink(const Napi::CallbackInfo &) { segments_->unlink(); }

  // Every method below begins with (peer, index of the line).
  ShmLine &line(const Napi::CallbackInfo &info) {
    const auto peer = info[0].As<Napi::Number>().Uint32Value();
    const auto index = info[1].As<Napi::Number>().Uint32Value();
    return *attempt(info.Env(), [&] { return &segments_->line(peer, index); });
  }

  void prepare(const Napi::CallbackInfo &info) { line(info); }
  void forget(const Napi::CallbackInfo &info) { line(info).forget(); }

  // Makes an operation; with buffers they are [2], and the size is [3].
  Napi::Value make(const Napi::CallbackInfo &info, const char *name, Execute execute, napi_callback callback) {
    auto operation = std::unique_ptr<ShmOperation>(new_operation<ShmOperation>(name, execute));
    operation->describe = describe_shm;
    operation->segments = segments_;
    operation->line = &line(info);
    std::vector<napi_value> holds;
    if (info.Length() > 2) {
      operation->size = integer(info[3]);
      const auto buffers = info[2].As<Napi::Array>();
      for (uint32_t i = 0; i < buffers.Length(); ++i) {
        const Napi::Value buffer = buffers[i];
        const Bytes bytes = bytes_of(info.Env(), buffer, "the buffer");
        require_range(info.Env(), bytes, 0, operation->size, "the buffer");
        operation->data.push_back(static_cast<uint8_t *>(bytes.data));
        holds.push_back(buffer);
      }
      operation->first = operation->data.empty() ? nullptr : operation->data[0];
    }
    if (info.Length() > 4) operation->window = integer(info[4]);
    return wrap_operation(info.Env(), operation.release(), holds, callback);
  }

  // send(peer, index, [buffer], size), and receive likewise
  Napi::Value send(const Napi::CallbackInfo &info) {
    return make(info, "shm_send", send_of(integer(info[3])), detail::call_operation);
  }
  Napi::Value receive(const Napi::CallbackInfo &info) {
    return make(info, "shm_receive", receive_of(integer(info[3])), detail::call_operation);
  }
  // startSends(peer, index, buffers, size, window), and startReceives likewise
  Napi::Value start_sends(const Napi::CallbackInfo &info) {
    return make(info, "shm_start_sends", execute_start_sends, detail::call_inlined<execute_start_sends>);
  }
  Napi::Value start_receives(const Napi::CallbackInfo &info) {
    return make(info, "shm_start_receives", execute_start_receives, detail::call_inlined<execute_start_receives>);
  }
  Napi::Value complete_sends(const Napi::CallbackInfo &info) {
    return make(info, "shm_complete_sends", execute_complete_sends, detail::call_inlined<execute_complete_sends>);
  }
  Napi::Value complete_receives(const Napi::CallbackInfo &info) {
    return make(info, "shm_complete_receives", execute_complete_receives,
                detail::call_inlined<execute_complete_receives>);
  }

  Shared segments_;
};

}  // namespace

void export_shm(Napi::Env env, Napi::Object exports) {
  exports.Set("ShmSegments", Segments::define(env));
  exports.Set("shmLines", Napi::Number::New(env, kShmLines));
}

}  // namespace fabricbench
