// The fake device for JavaScript, beside the operations of csrc/verbs, which work on it.
#include <unistd.h>

#include "mock.hpp"

namespace fabricbench::verbs::mock {
namespace {

// Devices live as long as the process: threads of theirs may be late.
Device &device_in(const Napi::Value &value) { return *value.As<Napi::External<Device>>().Data(); }

uint64_t integer(const Napi::Value &value) { return static_cast<uint64_t>(value.As<Napi::Number>().Int64Value()); }

// mockDevice()
Napi::Value device(const Napi::CallbackInfo &info) {
  auto *device = new Device;
  set_device_calls(*device);
  return Napi::External<Device>::New(info.Env(), device);
}

// mockCq(device, channel?)
Napi::Value cq(const Napi::CallbackInfo &info) {
  Device &device = device_in(info[0]);
  auto cq = std::make_shared<FakeCq>();
  cq->device = &device;
  cq->cq = &cq->memory;
  cq->memory.context = &device.memory;
  cq->memory.handle = static_cast<uint32_t>(device.cqs.size());
  if (!info[1].IsUndefined()) cq->channel = unbox<verbs::Channel>(info[1]);
  opened(*cq, device.context);
  device.cqs.push_back(cq);
  return box<Cq>(info.Env(), cq);
}

// mockChannel(device)
Napi::Value channel(const Napi::CallbackInfo &info) {
  auto channel = std::make_shared<Channel>();
  int ends[2];
  if (pipe(ends) != 0) throw Napi::Error::New(info.Env(), "no pipe");
  channel->channel = &channel->memory;
  channel->memory.fd = ends[0];
  channel->write_end = ends[1];
  opened(*channel, device_in(info[0]).context);
  return box<verbs::Channel>(info.Env(), channel);
}

// mockMr(device, buffer, lkey)
Napi::Value mr(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[1], "the buffer");
  auto mr = std::make_shared<Mr>();
  mr->mr = new ibv_mr{};
  mr->mr->addr = bytes.data;
  mr->mr->length = bytes.byte_length;
  mr->mr->lkey = static_cast<uint32_t>(integer(info[2]));
  opened(*mr, device_in(info[0]).context);
  return box(info.Env(), mr);
}

// mockMrAddress(mr)
Napi::Value mr_address(const Napi::CallbackInfo &info) {
  return Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(unbox<Mr>(info[0])->mr->addr));
}

// mockAh(device)
Napi::Value ah(const Napi::CallbackInfo &info) {
  auto ah = std::make_shared<Ah>();
  ah->ah = new ibv_ah{};
  opened(*ah, device_in(info[0]).context);
  return box(info.Env(), ah);
}

// mockAhAddress(ah)
Napi::Value ah_address(const Napi::CallbackInfo &info) {
  return Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(unbox<Ah>(info[0])->ah));
}

// mockSrq(device)
Napi::Value srq(const Napi::CallbackInfo &info) {
  Device &device = device_in(info[0]);
  auto srq = std::make_shared<FakeSrq>();
  srq->srq = &srq->memory;
  srq->memory.context = &device.memory;
  srq->memory.srq_context = srq.get();
  opened(*srq, device.context);
  device.srqs.push_back(srq);
  return box<Srq>(info.Env(), srq);
}

// mockQp(device, {type, sendCq, recvCq, srq?, wrApi, capacity, recvCapacity, number})
Napi::Value qp(const Napi::CallbackInfo &info) {
  Device &device = device_in(info[0]);
  const Request request(info[1]);
  auto qp = std::make_shared<FakeQp>();
  qp->device = &device;
  qp->qp = &qp->memory.qp_base;
  qp->type = request.get("type").As<Napi::String>();
  qp->send_cq = unbox<Cq>(request.get("sendCq"));
  qp->recv_cq = unbox<Cq>(request.get("recvCq"));
  if (request.has("srq")) {
    qp->srq = unbox<Srq>(request.get("srq"));
    qp->queue = &static_cast<FakeSrq *>(qp->srq.get())->queue;
  }
  if (request.has("capacity")) qp->capacity = request.number("capacity");
  if (request.has("recvCapacity")) qp->own.capacity = request.number("recvCapacity");
  qp->memory.qp_base.context = &device.memory;
  qp->memory.qp_base.qp_context = qp.get();
  qp->memory.qp_base.qp_num = request.number32("number");
  if (request.flag("wrApi")) {
    qp->qp_ex = &qp->memory;
    set_wr_calls(*qp);
  }
  opened(*qp, device.context);
  device.qps.push_back(qp);
  return box<Qp>(info.Env(), qp);
}

// mockBehave(device, {failAt?, status?, refuseAt?, refusal?, perPoll?, emptyPolls?, onEvents?, afterMs?, loops?,
// failPolls?})
void behave(const Napi::CallbackInfo &info) {
  Device &device = device_in(info[0]);
  const Request request(info[1]);
  const auto number = [&](const char *name, uint64_t usual) {
    return request.has(name) ? request.number(name) : usual;
  };
  const auto flag = [&](const char *name) { return request.has(name) && request.flag(name); };
  Behaviour behaviour;
  behaviour.fail_at = number("failAt", UINT64_MAX);
  behaviour.status = static_cast<ibv_wc_status>(number("status", 0));
  behaviour.refuse_at = number("refuseAt", UINT64_MAX);
  behaviour.refusal = static_cast<int>(number("refusal", 0));
  behaviour.per_poll = number("perPoll", UINT64_MAX);
  behaviour.empty_polls = number("emptyPolls", 0);
  behaviour.on_events = flag("onEvents");
  behaviour.after_ms = static_cast<uint32_t>(number("afterMs", 0));
  behaviour.loops = flag("loops");
  behaviour.fail_polls = flag("failPolls");
  device.behaviour = behaviour;
}

Napi::Object to_object(Napi::Env env, const Record &record) {
  auto object = Napi::Object::New(env);
  const auto set = [&](const char *name, uint64_t value) {
    object.Set(name, Napi::Number::New(env, static_cast<double>(value)));
  };
  const auto set_word = [&](const char *name, uint64_t value) { object.Set(name, Napi::BigInt::New(env, value)); };
  set("qp", record.qp);
  set("call", record.call);
  set_word("id", record.id);
  set("opcode", record.opcode);
  set("flags", record.flags);
  object.Set("inline", Napi::Boolean::New(env, record.carried));
  set_word("local", record.local);
  set("length", record.length);
  set("lkey", record.lkey);
  set("pieces", record.pieces);
  set("lastByte", record.last_byte);
  set_word("remote", record.remote);
  set("rkey", record.rkey);
  set("imm", __builtin_bswap32(record.imm));
  set("qpn", record.qpn);
  set("qkey", record.qkey);
  set("srqn", record.srqn);
  set_word("ah", record.ah);
  set_word("compareAdd", record.compare_add);
  set_word("swap", record.swap);
  return object;
}

template <class Each>
Napi::Array list(Napi::Env env, size_t count, Each each) {
  auto array = Napi::Array::New(env, count);
  for (size_t i = 0; i < count; ++i) array.Set(static_cast<uint32_t>(i), each(i));
  return array;
}

// mockSent(device)
Napi::Value sent(const Napi::CallbackInfo &info) {
  const auto &records = device_in(info[0]).sent;
  return list(info.Env(), records.size(), [&](size_t i) { return to_object(info.Env(), records[i]); });
}

// mockReceived(device)
Napi::Value received(const Napi::CallbackInfo &info) {
  const auto &records = device_in(info[0]).received;
  return list(info.Env(), records.size(), [&](size_t i) {
    auto object = Napi::Object::New(info.Env());
    object.Set("call", static_cast<double>(records[i].call));
    object.Set("id", static_cast<double>(records[i].id));
    object.Set("local", Napi::BigInt::New(info.Env(), records[i].local));
    object.Set("length", records[i].length);
    object.Set("lkey", records[i].lkey);
    object.Set("pieces", records[i].pieces);
    return object;
  });
}

// mockCounts(device)
Napi::Value counts(const Napi::CallbackInfo &info) {
  const Device &device = device_in(info[0]);
  auto object = Napi::Object::New(info.Env());
  const auto set = [&](const char *name, uint64_t value) { object.Set(name, static_cast<double>(value)); };
  set("polls", device.polls);
  set("missed", device.missed);
  set("events", device.events);
  set("acknowledged", device.acknowledged);
  uint64_t waiting = 0;
  for (const auto &cq : device.cqs) waiting += cq->unacknowledged;
  set("unacknowledged", waiting);
  object.Set("most",
             list(info.Env(), device.qps.size(), [&](size_t i) { return static_cast<double>(device.qps[i]->most); }));
  return object;
}

// mockDeliver(qp, count, status)
void deliver_to(const Napi::CallbackInfo &info) {
  deliver(*static_cast<FakeQp *>(unbox<Qp>(info[0]).get()), integer(info[1]),
          static_cast<ibv_wc_status>(integer(info[2])));
}

// mockDestroy(kind, object): throws where anything uses it
void destroy(const Napi::CallbackInfo &info) {
  const std::string kind = info[0].As<Napi::String>();
  const auto end = [&](auto object) {
    require_unused(info.Env(), *object, "destroyed");
    closed(*object);
  };
  if (kind == "qp") end(unbox<Qp>(info[1]));
  if (kind == "cq") end(unbox<Cq>(info[1]));
  if (kind == "mr") end(unbox<Mr>(info[1]));
  if (kind == "ah") end(unbox<Ah>(info[1]));
  if (kind == "srq") end(unbox<Srq>(info[1]));
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  export_operation_support(env, exports);
  register_operations(env, exports);
  const auto set = [&](const char *name, auto function) { exports.Set(name, Napi::Function::New(env, function)); };
  set("mockDevice", device);
  set("mockCq", cq);
  set("mockChannel", channel);
  set("mockMr", mr);
  set("mockMrAddress", mr_address);
  set("mockAh", ah);
  set("mockAhAddress", ah_address);
  set("mockSrq", srq);
  set("mockQp", qp);
  set("mockBehave", behave);
  set("mockSent", sent);
  set("mockReceived", received);
  set("mockCounts", counts);
  set("mockDeliver", deliver_to);
  set("mockDestroy", destroy);
  register_fast(env, exports);
  register_channels(env, exports);
  register_wire(env, exports);
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace
}  // namespace fabricbench::verbs::mock
