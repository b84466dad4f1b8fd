// Operations of one call: post, complete, waitByte.
#include "verbs/operations_wait.hpp"
#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs {
namespace {

struct Post : VerbsOperation {
  Target target;
  ibv_send_wr wr;
  ibv_sge sge;
  uint8_t *stamp;  // the last byte of the data
  uint8_t sequence = 0;
};

template <class By, bool kStamp>
int32_t execute_post(Operation *self, fabricbench::Context *) {
  auto *post = static_cast<Post *>(self);
  if constexpr (kStamp) *post->stamp = ++post->sequence;
  ibv_send_wr *bad;
  return errno_of(By::post(post->target, &post->wr, 1, &bad));
}

Execute choose_post(bool calls, bool stamp) {
  if (calls) return stamp ? execute_post<ByCalls, true> : execute_post<ByCalls, false>;
  return stamp ? execute_post<ByList, true> : execute_post<ByList, false>;
}

// bindPost(send request with stamp, holds)
Napi::Value bind_post(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  Uses uses;
  const SendRequest send = read_send(request, uses);
  const Execute execute = choose_post(send.target.qp_ex != nullptr, request.flag("stamp"));
  return bind_operation<Post>(request, uses, send.name, execute, [&](Post &post) {
    post.target = send.target;
    post.wr = send.wr;
    post.sge = send.sge;
    post.wr.send_flags |= IBV_SEND_SIGNALED;
    set_piece(post.wr, post.sge);
    post.stamp = reinterpret_cast<uint8_t *>(send.sge.addr) + send.sge.length - 1;
  });
}

struct Complete : VerbsOperation {
  ibv_cq *cq;
  Queues queues;
};

template <class Idle>
int32_t execute_complete(Operation *self, fabricbench::Context *context) {
  auto *complete = static_cast<Complete *>(self);
  ibv_wc wc;
  for (;;) {
    const int found = ibv_poll_cq(complete->cq, 1, &wc);
    if (__builtin_expect(found > 0, 1)) return wc.status == IBV_WC_SUCCESS ? 0 : code_of(wc);
    if (__builtin_expect(found < 0, 0)) return kPollFailed;
    const int32_t code = Idle::turn(complete->queues, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
}

// bindComplete({cq, events, holds})
Napi::Value bind_complete(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  Uses uses;
  const auto cq = request.object<Cq>("cq", uses);
  const bool events = request.flag("events");
  if (events) expect_events(cq);
  const Execute execute = events ? execute_complete<Sleep> : execute_complete<Spin>;
  return bind_operation<Complete>(request, uses, "ibv_poll_cq", execute, [&](Complete &complete) {
    complete.cq = cq->cq;
    complete.queues.add(cq.get());
  });
}

struct WaitByte : VerbsOperation {
  const uint8_t *byte;
  uint8_t sequence = 0;
};

int32_t execute_wait_byte(Operation *self, fabricbench::Context *context) {
  auto *wait = static_cast<WaitByte *>(self);
  const uint8_t *byte = wait->byte;
  const auto expected = static_cast<uint8_t>(wait->sequence + 1);
  while (__atomic_load_n(byte, __ATOMIC_ACQUIRE) != expected) {
    give_way(context);
    if (__builtin_expect(is_cancelled(context), 0)) return kOperationCancelled;
  }
  wait->sequence = expected;
  return 0;
}

// bindWaitByte({buffer, offset, holds})
Napi::Value bind_wait_byte(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  const Bytes bytes = bytes_of(request.env(), request.get("buffer"), "the buffer");
  return bind_operation<WaitByte>(request, {}, "waitByte", execute_wait_byte, [&](WaitByte &wait) {
    wait.byte = static_cast<const uint8_t *>(bytes.data) + request.number("offset");
  });
}

}  // namespace

void register_single_operations(Napi::Env env, Napi::Object exports) {
  exports.Set("bindPost", Napi::Function::New(env, bind_post));
  exports.Set("bindComplete", Napi::Function::New(env, bind_complete));
  exports.Set("bindWaitByte", Napi::Function::New(env, bind_wait_byte));
}

}  // namespace fabricbench::verbs
