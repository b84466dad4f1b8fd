// Channels: messages between two processes by tags, a stream or active messages.
#include <limits>

#include "ucx/ucp_queue.hpp"
#include "ucx/ucp_stream.hpp"
#include "ucx/ucp_tag.hpp"

namespace fabricbench::ucx::ucp {
namespace {

enum class Way { kTag, kStream, kActiveMessage };

struct Channel final : Handler {
  static constexpr napi_type_tag kTag = {0x6662756370000008, 0x3ec8a15d7b0f9426};
  explicit Channel(ucp_worker_h worker) : Handler("the channel"), queue(worker) {}
  std::shared_ptr<Endpoint> endpoint;
  Way way = Way::kTag;
  std::shared_ptr<Counter> sends;
  std::shared_ptr<Counter> receives;
  Queue queue;
};

std::shared_ptr<Counter> make_counter(const std::shared_ptr<Worker> &worker) {
  auto counter = std::make_shared<Counter>();
  counter->worker = worker;
  counter->limit = counter->wanted = std::numeric_limits<uint32_t>::max();
  worker->counters.push_back(counter);
  return counter;
}

void require_stream(Napi::Env env, Endpoint &endpoint) {
  if (endpoint.has_stream_channel) {
    throw Napi::Error::New(env, "the endpoint's stream has a channel already: close that first");
  }
  endpoint.has_stream_channel = true;
}

// ucpChannel(worker, endpoint, way, id)
Napi::Value make(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto worker = unwrap<Worker>(info[0]);
  auto channel = std::make_shared<Channel>(worker->handle);
  channel->worker = worker;
  channel->endpoint = unwrap<Endpoint>(info[1]);
  if (channel->endpoint->worker != worker) {
    throw Napi::TypeError::New(env, "the channel's endpoint belongs to another worker");
  }
  channel->way = static_cast<Way>(info[2].As<Napi::Number>().Uint32Value());
  channel->id = info[3].As<Napi::Number>().Uint32Value();
  if (channel->way == Way::kStream) require_stream(env, *channel->endpoint);
  if (channel->way == Way::kActiveMessage) set_handler(env, channel, Queue::take, &channel->queue);
  channel->sends = make_counter(worker);
  channel->receives = make_counter(worker);
  ++channel->endpoint->children;
  return wrap(env, channel);
}

Napi::Value close(const Napi::CallbackInfo &info) {
  const auto channel = unwrap<Channel>(info[0]);
  require_unused(info.Env(), *channel, "close", "");
  if (channel->way == Way::kActiveMessage) take_handler(info.Env(), *channel, "close");
  if (channel->way == Way::kStream) channel->endpoint->has_stream_channel = false;
  channel->queue.clear();
  channel->gone = true;
  --channel->endpoint->children;
  return info.Env().Undefined();
}

// The first argument of all that follows. The operation then uses the endpoint too.
std::shared_ptr<Channel> read_channel(Arguments &arguments) {
  auto channel = arguments.box<Channel>();
  arguments.use(channel->endpoint);
  return channel;
}

// How each way sends and receives `size` bytes of a buffer.
void fill(TagSend &call, const Channel &channel, void *buffer, size_t size) {
  call.endpoint = channel.endpoint->handle;
  call.buffer = buffer;
  call.count = size;
  call.tag = channel.id;
}

void fill(TagReceive &call, const Channel &channel, void *buffer, size_t size) {
  call.worker = channel.worker->handle;
  call.buffer = buffer;
  call.count = size;
  call.tag = channel.id;
  call.mask = std::numeric_limits<ucp_tag_t>::max();
}

template <class Call>
void fill_stream(Call &call, const Channel &channel, void *buffer, size_t size) {
  call.endpoint = channel.endpoint->handle;
  call.buffer = buffer;
  call.count = size;
}

void fill(StreamSend &call, const Channel &channel, void *buffer, size_t size) {
  fill_stream(call, channel, buffer, size);
}
void fill(StreamReceive &call, const Channel &channel, void *buffer, size_t size) {
  fill_stream(call, channel, buffer, size);
}

void fill(AmSend &call, const Channel &channel, void *buffer, size_t size) {
  fill_stream(call, channel, buffer, size);
  call.id = channel.id;
  call.header = nullptr;
  call.header_length = 0;
}

template <class Call>
void prepare_param(ucp_request_param_t &param) {
  if constexpr (std::is_same_v<Call, StreamReceive>) StreamReceive::want_all(param);
}

// (channel, buffer, size): one call, waited for
template <class Call>
Napi::Value one(Arguments &arguments, const std::shared_ptr<Channel> &channel, Counter *counter, const char *name) {
  std::unique_ptr<Posting<Call>> operation(make_operation<Posting<Call>>(name));
  const Bytes bytes = arguments.bytes("the buffer");
  fill(operation->call, *channel, bytes.data, arguments.size());
  prepare_param<Call>(operation->param);
  Modes modes;
  modes.blocking = true;
  return finish_posting(arguments, std::move(operation), channel->worker, counter, modes);
}

template <class Call>
struct Window final : UcpOperation {
  std::vector<Call> calls;
};

template <class Call>
int32_t execute_window(Operation *self, Context *) {
  auto *operation = static_cast<Window<Call> *>(self);
  Counter *counter = operation->counter;
  if (__builtin_expect(counter->failed != UCS_OK, 0)) return counter->take_failure();
  for (Call &call : operation->calls) {
    const int32_t code = post(call, &operation->param, counter);
    if (__builtin_expect(code != 0, 0)) return code;
  }
  return 0;
}

// The next arguments: buffers, size, window. Calls `add` with the buffer and the size of each call.
template <class Add>
void read_window(Arguments &arguments, Add add) {
  const auto buffers = arguments.next().As<Napi::Array>();
  std::vector<void *> data;
  for (uint32_t i = 0; i < buffers.Length(); ++i) data.push_back(arguments.bytes(buffers.Get(i), "a buffer").data);
  const size_t size = arguments.size();
  const size_t window = arguments.size();
  for (size_t i = 0; i < window; ++i) add(data[i % data.size()], size);
}

// (channel, buffers, size, window): many calls, left in flight
template <class Call>
Napi::Value many(Arguments &arguments, const std::shared_ptr<Channel> &channel, Counter *counter, const char *name) {
  std::unique_ptr<Window<Call>> operation(make_operation<Window<Call>>(name));
  read_window(arguments, [&](void *buffer, size_t size) {
    operation->calls.emplace_back();
    fill(operation->calls.back(), *channel, buffer, size);
  });
  prepare_param<Call>(operation->param);
  use_counter(operation.get(), channel->worker, counter, false, Call::kCompletion);
  operation->execute = execute_window<Call>;
  return arguments.finish(operation.release(), fabricbench::detail::call_inlined<execute_window<Call>>);
}

// Receives of active messages.
struct Take final : UcpOperation {
  Queue *queue;
  std::vector<Slot> slots;
};

int32_t take_one(Operation *self, Context *context) {
  auto *operation = static_cast<Take *>(self);
  Counter *counter = operation->counter;
  operation->queue->post(operation->slots.front());
  const int32_t code = wait_for_all<Spin>(operation->worker, counter, context);
  if (__builtin_expect(code != 0 && counter->count > 0, 0)) operation->queue->withdraw(counter);
  return code;
}

int32_t take_many(Operation *self, Context *) {
  auto *operation = static_cast<Take *>(self);
  if (__builtin_expect(operation->counter->failed != UCS_OK, 0)) return operation->counter->take_failure();
  for (const Slot &slot : operation->slots) operation->queue->post(slot);
  return 0;
}

Napi::Value take_one_of(Arguments &arguments, const std::shared_ptr<Channel> &channel) {
  std::unique_ptr<Take> operation(make_operation<Take>("ucp_am_recv"));
  const Bytes bytes = arguments.bytes("the buffer");
  use_own_counter(operation.get(), channel->worker, Completion::kLength);
  operation->queue = &channel->queue;
  operation->slots.push_back({bytes.data, arguments.size(), operation->counter});
  operation->execute = take_one;
  return arguments.finish(operation.release(), fabricbench::detail::call_inlined<take_one>);
}

Napi::Value take_many_of(Arguments &arguments, const std::shared_ptr<Channel> &channel) {
  std::unique_ptr<Take> operation(make_operation<Take>("ucp_am_recv"));
  Counter *counter = channel->receives.get();
  use_counter(operation.get(), channel->worker, counter, false, Completion::kLength);
  operation->queue = &channel->queue;
  read_window(arguments, [&](void *buffer, size_t size) { operation->slots.push_back({buffer, size, counter}); });
  operation->execute = take_many;
  return arguments.finish(operation.release(), fabricbench::detail::call_inlined<take_many>);
}

Napi::Value send(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto channel = read_channel(arguments);
  Counter *counter = channel->sends.get();
  if (channel->way == Way::kTag) return one<TagSend>(arguments, channel, counter, "ucp_tag_send_nbx");
  if (channel->way == Way::kStream) return one<StreamSend>(arguments, channel, counter, "ucp_stream_send_nbx");
  return one<AmSend>(arguments, channel, counter, "ucp_am_send_nbx");
}

Napi::Value receive(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto channel = read_channel(arguments);
  Counter *counter = channel->receives.get();
  if (channel->way == Way::kTag) return one<TagReceive>(arguments, channel, counter, "ucp_tag_recv_nbx");
  if (channel->way == Way::kStream) return one<StreamReceive>(arguments, channel, counter, "ucp_stream_recv_nbx");
  return take_one_of(arguments, channel);
}

Napi::Value start_sends(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto channel = read_channel(arguments);
  Counter *counter = channel->sends.get();
  if (channel->way == Way::kTag) return many<TagSend>(arguments, channel, counter, "ucp_tag_send_nbx");
  if (channel->way == Way::kStream) return many<StreamSend>(arguments, channel, counter, "ucp_stream_send_nbx");
  return many<AmSend>(arguments, channel, counter, "ucp_am_send_nbx");
}

Napi::Value start_receives(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto channel = read_channel(arguments);
  Counter *counter = channel->receives.get();
  if (channel->way == Way::kTag) return many<TagReceive>(arguments, channel, counter, "ucp_tag_recv_nbx");
  if (channel->way == Way::kStream) return many<StreamReceive>(arguments, channel, counter, "ucp_stream_recv_nbx");
  return take_many_of(arguments, channel);
}

Napi::Value complete_sends(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto channel = read_channel(arguments);
  return finish_complete(arguments, channel->worker, channel->sends.get(), false);
}

Napi::Value complete_receives(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  const auto channel = read_channel(arguments);
  return finish_complete(arguments, channel->worker, channel->receives.get(), false);
}

}  // namespace

void export_channel(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpChannel", Napi::Function::New(env, make));
  exports.Set("ucpChannelSend", Napi::Function::New(env, send));
  exports.Set("ucpChannelReceive", Napi::Function::New(env, receive));
  exports.Set("ucpChannelStartSends", Napi::Function::New(env, start_sends));
  exports.Set("ucpChannelStartReceives", Napi::Function::New(env, start_receives));
  exports.Set("ucpChannelCompleteSends", Napi::Function::New(env, complete_sends));
  exports.Set("ucpChannelCompleteReceives", Napi::Function::New(env, complete_receives));
  exports.Set("ucpChannelClose", Napi::Function::New(env, close));
}

}  // namespace fabricbench::ucx::ucp
