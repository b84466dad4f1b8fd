// Streams for JavaScript: how they are made, and what they tell.
#include <cstdio>

#include "engine/clock.h"
#include "verbs/operations_stream.hpp"

namespace fabricbench::verbs {
namespace {

// In a chain of its own each work request of a list has its own place of the walk, and keeps it.
void fill_chain(SendLane &lane, const SendRequest &send, const Stream &stream) {
  lane.chain.resize(stream.list, send.wr);
  lane.pieces.resize(stream.list, send.sge);
  for (uint32_t i = 0; i < stream.list; ++i) {
    ibv_send_wr &wr = lane.chain[i];
    wr.next = i + 1 < stream.list ? &wr + 1 : nullptr;
    set_piece(wr, lane.pieces[i]);
    const uint64_t at = stream.span == 0 ? 0 : i * stream.step % stream.span;
    lane.pieces[i].addr += at;
    if (has_remote(wr)) wr.wr.rdma.remote_addr += at;
  }
  lane.first = lane.chain.data();
}

void fill_lane(SendLane &lane, const SendRequest &send, const Stream &stream) {
  lane.target = send.target;
  lane.qp = send.qp;
  lane.flags = send.wr.send_flags;
  lane.local = send.sge.addr;
  fill_chain(lane, send, stream);
  lane.remote_word = has_remote(send.wr) ? &lane.first->wr.rdma.remote_addr : &lane.nowhere;
  lane.remote = *lane.remote_word;
}

void read_completions(Stream &stream, const Request &request) {
  if (!request.has("completions")) return;
  fb_clock_calibrate();
  const Bytes bytes = bytes_of(request.env(), request.get("completions"), "completions");
  stream.notes = static_cast<double *>(bytes.data);
  stream.room = bytes.byte_length / (2 * sizeof(double));
}

void read_lanes(Stream &stream, const std::vector<SendRequest> &sends) {
  stream.lanes.resize(sends.size());
  for (size_t i = 0; i < sends.size(); ++i) fill_lane(stream.lanes[i], sends[i], stream);
  stream.begin = stream.lanes.data();
  stream.end = stream.begin + stream.lanes.size();
}

void read_numbers(Stream &stream, const Request &request) {
  stream.list = request.number32("postList");
  stream.tx_depth = request.number("txDepth");
  stream.cq_mod = request.number("cqMod");
  stream.step = request.number("step");
  stream.span = request.number("span");
  stream.completions.resize(request.number("cqePoll"));
  stream.found = stream.completions.data();
  stream.per_poll = static_cast<int>(stream.completions.size());
}

std::shared_ptr<Stream> read_stream(const Request &request, std::vector<SendRequest> &sends) {
  auto stream = std::make_shared<Stream>();
  read_numbers(*stream, request);
  for (const Request &wr : request.parts("wrs")) sends.push_back(read_send(wr, stream->uses));
  read_lanes(*stream, sends);
  const auto &cq = sends.front().qp->send_cq;
  stream->cq = cq->cq;
  stream->queues.add(cq.get());
  if (request.flag("events")) expect_events(cq);
  read_completions(*stream, request);
  return stream;
}

StreamModes modes_of(const Stream &stream, const Request &request) {
  StreamModes modes;
  modes.calls = stream.begin->target.qp_ex != nullptr;
  modes.fixed = stream.list % stream.cq_mod == 0;
  modes.single = stream.list == 1;
  modes.walk = modes.single && stream.span > stream.step;
  modes.events = request.flag("events");
  modes.notes = stream.notes != nullptr;
  modes.takes = stream.receives != nullptr;
  return modes;
}

// {state, post, end}
Napi::Object wrap_stream(const Request &request, const std::shared_ptr<Stream> &stream, const char *name) {
  const StreamFunctions functions = stream_functions(modes_of(*stream, request));
  restart_stream(*stream, request.number("total"));
  const auto wrap = [&](const char *of, Execute execute) {
    return bind_operation<StreamOperation>(request, stream->uses, of, execute, [&](StreamOperation &operation) {
      operation.stream = stream;
      operation.describe = describe_stream;
    });
  };
  auto bound = Napi::Object::New(request.env());
  bound.Set("post", wrap(name, functions.post));
  bound.Set("end", wrap("streamEnd", functions.end));
  bound.Set("state", box(request.env(), stream));
  return bound;
}

// bindStream({wrs, step, span, postList, txDepth, cqMod, cqePoll, total, events, completions?, holds})
Napi::Value bind_stream(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  std::vector<SendRequest> sends;
  const auto stream = read_stream(request, sends);
  return wrap_stream(request, stream, sends.front().name);
}

// bindBothWays({stream, receives, after})
Napi::Value bind_both_ways(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  const Request of_stream = request.part("stream"), of_receives = request.part("receives");
  std::vector<SendRequest> sends;
  const auto stream = read_stream(of_stream, sends);
  stream->receives = read_receives(of_receives);
  stream->after = request.flag("after");
  stream->queues.add(stream->receives->cq.get());
  for (const auto &used : stream->receives->uses) add_use(stream->uses, used);
  auto bound = Napi::Object::New(info.Env());
  bound.Set("stream", wrap_stream(of_stream, stream, sends.front().name));
  bound.Set("receives", bind_receives(of_receives, stream->receives));
  return bound;
}

// streamCompleted(state)
Napi::Value completed(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(unbox<Stream>(info[0])->completed));
}

// streamNoted(state)
Napi::Value noted(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), static_cast<double>(unbox<Stream>(info[0])->noted));
}

// streamRestart(state, total)
void restart(const Napi::CallbackInfo &info) {
  const auto stream = unbox<Stream>(info[0]);
  const auto refuse = [&](const char *why) {
    return Napi::Error::New(info.Env(), std::string("the stream can't be restarted: ") + why);
  };
  if (stream->failure != 0) throw refuse("it has failed; bind a new one over new queue pairs");
  for (const SendLane &lane : stream->lanes) {
    if (lane.completed != lane.posted) throw refuse("work requests are outstanding; run its end first");
  }
  restart_stream(*stream, static_cast<uint64_t>(info[1].As<Napi::Number>().Int64Value()));
}

void restart_lane(const Stream &stream, SendLane &lane) {
  lane.posted = lane.completed = lane.signaled = lane.at = 0;
  lane.next_signal = stream.cq_mod - 1 < stream.last ? stream.cq_mod - 1 : stream.last;
  const auto place = static_cast<uint64_t>(&lane - stream.begin);
  for (uint32_t i = 0; i < stream.list; ++i) {
    lane.chain[i].send_flags = lane.flags | ((i + 1) % stream.cq_mod == 0 ? unsigned{IBV_SEND_SIGNALED} : 0);
    lane.chain[i].wr_id = (uint64_t{i} << kIdShift) + place - (uint64_t{stream.list} << kIdShift);
  }
}

}  // namespace

void restart_stream(Stream &stream, uint64_t total) {
  stream.last = total == 0 ? kNever : total - 1;
  stream.next = stream.begin;
  stream.completed = stream.noted = stream.base = 0;
  stream.depth = stream.after ? 0 : stream.tx_depth;
  if (stream.receives) stream.arrived_before = stream.receives->arrived;
  for (SendLane &lane : stream.lanes) restart_lane(stream, lane);
}

void describe_stream(Operation *self, int32_t code, char *text, size_t length) {
  const Stream &stream = *static_cast<StreamOperation *>(self)->stream;
  char why[kTextLength];
  describe_code(self, code, why, sizeof why);
  const uint64_t place = stream.failed_id % kIdStep;
  if (!stream.is_completion || place >= stream.lanes.size()) {
    snprintf(text, length, "%s", why);
    return;
  }
  snprintf(text, length, "work request %llu of queue pair %u: %s",
           static_cast<unsigned long long>(stream.failed_id >> kIdShift), stream.lanes[place].qp->qp->qp_num, why);
}

void register_streams(Napi::Env env, Napi::Object exports) {
  exports.Set("bindStream", Napi::Function::New(env, bind_stream));
  exports.Set("bindBothWays", Napi::Function::New(env, bind_both_ways));
  exports.Set("streamCompleted", Napi::Function::New(env, completed));
  exports.Set("streamNoted", Napi::Function::New(env, noted));
  exports.Set("streamRestart", Napi::Function::New(env, restart));
}

}  // namespace fabricbench::verbs
