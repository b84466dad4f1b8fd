// Point-to-point calls: each signature is written once, and serves its blocking, non-blocking and persistent forms.
#include <utility>

#include "register.hpp"

namespace fabricbench::mpi {
namespace {

// (buf, count, datatype, dest, tag, comm [, request])
template <auto kFunction, class Completion>
struct SendCall {
  Data data;
  int dest, tag;
  MPI_Comm comm;
  Completion completion;
  explicit SendCall(Arguments &a)
      : data(a.data()), dest(a.integer("dest")), tag(a.integer("tag")), comm(a.comm()), completion(a) {}
  int run() { return completion.template call<kFunction>(data.buffer, data.count, data.type, dest, tag, comm); }
};

// (buf, count, datatype, source, tag, comm [, status | request])
template <auto kFunction, class Completion>
struct ReceiveCall {
  Data data;
  int source, tag;
  MPI_Comm comm;
  Completion completion;
  explicit ReceiveCall(Arguments &a)
      : data(a.data()), source(a.integer("source")), tag(a.integer("tag")), comm(a.comm()), completion(a) {}
  int run() { return completion.template call<kFunction>(data.buffer, data.count, data.type, source, tag, comm); }
};

struct Sendrecv {
  Data send;
  int dest, send_tag;
  Data receive;
  int source, receive_tag;
  MPI_Comm comm;
  BlockingWithStatus completion;
  explicit Sendrecv(Arguments &a)
      : send(a.data("sendbuf")),
        dest(a.integer("dest")),
        send_tag(a.integer("sendtag")),
        receive(a.data("recvbuf")),
        source(a.integer("source")),
        receive_tag(a.integer("recvtag")),
        comm(a.comm()),
        completion(a) {}
  int run() {
    return completion.call<MPI_Sendrecv>(send.buffer, send.count, send.type, dest, send_tag, receive.buffer,
                                         receive.count, receive.type, source, receive_tag, comm);
  }
};

struct SendrecvReplace {
  Data data;
  int dest, send_tag, source, receive_tag;
  MPI_Comm comm;
  BlockingWithStatus completion;
  explicit SendrecvReplace(Arguments &a)
      : data(a.data()),
        dest(a.integer("dest")),
        send_tag(a.integer("sendtag")),
        source(a.integer("source")),
        receive_tag(a.integer("recvtag")),
        comm(a.comm()),
        completion(a) {}
  int run() {
    return completion.call<MPI_Sendrecv_replace>(data.buffer, data.count, data.type, dest, send_tag, source,
                                                 receive_tag, comm);
  }
};

// (source, tag, comm): waits for a message without receiving it.
struct Probe {
  int source, tag;
  MPI_Comm comm;
  BlockingWithStatus completion;
  explicit Probe(Arguments &a) : source(a.integer("source")), tag(a.integer("tag")), comm(a.comm()), completion(a) {}
  int run() { return completion.call<MPI_Probe>(source, tag, comm); }
};

// The status of a message that has arrived, or null.
struct Iprobe {
  int source, tag, flag = 0;
  MPI_Comm comm;
  MPI_Status status{};
  explicit Iprobe(Arguments &a) : source(a.integer("source")), tag(a.integer("tag")), comm(a.comm()) {}
  int run() { return MPI_Iprobe(source, tag, comm, &flag, &status); }
  Napi::Value result(Napi::Env env) const { return flag ? make_status(env, status) : Napi::Value(env.Null()); }
};

Napi::Value matched(Napi::Env env, MPI_Message message, const MPI_Status &status) {
  auto result = Napi::Object::New(env);
  result.Set("message", make_handle<Message>(env, message));
  result.Set("status", make_status(env, status));
  return result;
}

Napi::Value mprobe(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Mprobe", Form::kImmediate);
  const int source = a.integer("source"), tag = a.integer("tag");
  const MPI_Comm comm = a.comm();
  a.done();
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(a.env(), a.call(), MPI_Mprobe(source, tag, comm, &message, &status));
  return matched(a.env(), message, status);
}

Napi::Value improbe(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Improbe", Form::kImmediate);
  const int source = a.integer("source"), tag = a.integer("tag");
  const MPI_Comm comm = a.comm();
  a.done();
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int flag = 0;
  check(a.env(), a.call(), MPI_Improbe(source, tag, comm, &flag, &message, &status));
  return flag ? matched(a.env(), message, status) : Napi::Value(a.env().Null());
}

// (buf, count, datatype, message): a message can be received once, so there is nothing to bind.
Napi::Value mrecv(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Mrecv", Form::kImmediate);
  const Data data = a.data();
  Message &message = a.handle<Message>("message");
  a.done();
  MPI_Status status;
  const int code = MPI_Mrecv(data.buffer, data.count, data.type, &message.value, &status);
  message.freed = message.value == MPI_MESSAGE_NULL;
  check(a.env(), a.call(), code);
  return make_status(a.env(), status);
}

// `requests.length` starts in one operation: request i works on buffers[i % buffers.length].
template <auto kFunction>
struct WindowCall {
  std::vector<void *> buffers;  // one for each request, so that the loop has no remainder to take
  Data data;
  int peer, tag;
  MPI_Comm comm;
  Requests *box;  // kept alive by the operation's `uses`

  explicit WindowCall(Arguments &a) {
    const std::vector<Memory> memories = a.memories("buffers");
    RawData raw;
    raw.name = "buffers[i]";
    raw.count = a.count("count");
    raw.type = a.shared_handle<Datatype>("datatype");
    for (const Memory &memory : memories) {
      raw.data = memory.data;
      raw.bytes = memory.bytes;
      data = a.fit(raw);
    }
    peer = a.integer("peer");
    tag = a.integer("tag");
    comm = a.comm();
    const auto requests = a.requests();
    box = requests.get();
    a.starts(requests);
    for (int i = 0; i < box->length; ++i) buffers.push_back(memories[static_cast<size_t>(i) % memories.size()].data);
  }

  int run() {
    // Once for the whole window; slots that other calls than Waitall completed are looked at one by one.
    if (__builtin_expect(box->activity.active, 0) && box->still_active()) return kSlotBusy;
    box->activity.active = true;
    MPI_Request *const slots = box->slots.get();
    void *const *const starts = buffers.data();
    const int length = static_cast<int>(buffers.size()), count = data.count;
    const MPI_Datatype type = data.type;
    for (int i = 0; i < length; ++i) {
      const int code = kFunction(starts[i], count, type, peer, tag, comm, &slots[i]);
      if (__builtin_expect(code != MPI_SUCCESS, 0)) return code;
    }
    return MPI_SUCCESS;
  }
};

// One of a window's requests with each call, in turn: what a program does that starts its messages one by one.
template <auto kFunction>
struct NextCall : WindowCall<kFunction> {
  using WindowCall<kFunction>::WindowCall;
  int next = 0;

  int run() {
    const int slot = next;
    next = slot + 1 == this->box->length ? 0 : slot + 1;
    MPI_Request *const request = &this->box->slots[slot];
    if (__builtin_expect(*request != MPI_REQUEST_NULL, 0)) return kSlotBusy;
    this->box->activity.active = true;
    const Data &data = this->data;
    return kFunction(this->buffers[slot], data.count, data.type, this->peer, this->tag, this->comm, request);
  }
};

}  // namespace

void register_point_to_point(Registry &r) {
  r.add<SendCall<MPI_Send, Blocking>>("MPI_Send");
  r.add<SendCall<MPI_Bsend, Blocking>>("MPI_Bsend");
  r.add<SendCall<MPI_Ssend, Blocking>>("MPI_Ssend");
  r.add<SendCall<MPI_Rsend, Blocking>>("MPI_Rsend");
  r.add<SendCall<MPI_Isend, Nonblocking>>("MPI_Isend");
  r.add<SendCall<MPI_Ibsend, Nonblocking>>("MPI_Ibsend");
  r.add<SendCall<MPI_Issend, Nonblocking>>("MPI_Issend");
  r.add<SendCall<MPI_Irsend, Nonblocking>>("MPI_Irsend");
  r.add<SendCall<MPI_Send_init, Persistent>>("MPI_Send_init");
  r.add<SendCall<MPI_Bsend_init, Persistent>>("MPI_Bsend_init");
  r.add<SendCall<MPI_Ssend_init, Persistent>>("MPI_Ssend_init");
  r.add<SendCall<MPI_Rsend_init, Persistent>>("MPI_Rsend_init");
  r.add<ReceiveCall<MPI_Recv, BlockingWithStatus>>("MPI_Recv");
  r.add<ReceiveCall<MPI_Irecv, Nonblocking>>("MPI_Irecv");
  r.add<ReceiveCall<MPI_Recv_init, Persistent>>("MPI_Recv_init");
  r.add<Sendrecv>("MPI_Sendrecv");
  r.add<SendrecvReplace>("MPI_Sendrecv_replace");
  r.add<Probe>("MPI_Probe");
  r.add<Iprobe>("MPI_Iprobe");
  r.add_bound<WindowCall<MPI_Isend>>("MPI_IsendWindow");
  r.add_bound<WindowCall<MPI_Irecv>>("MPI_IrecvWindow");
  r.add_bound<NextCall<MPI_Isend>>("MPI_IsendNext");
  r.add_bound<NextCall<MPI_Irecv>>("MPI_IrecvNext");
  r.function<mprobe>("Mprobe");
  r.function<improbe>("Improbe");
  r.function<mrecv>("Mrecv");
}

}  // namespace fabricbench::mpi
