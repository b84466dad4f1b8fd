// Completion channels and queues, and what several queue pairs share: receive queues and XRC domains.
#include <fcntl.h>

#include <cerrno>

#include "verbs/memlock.hpp"
#include "verbs/objects.hpp"

namespace fabricbench::verbs {
namespace {

// verbsCreateChannel(context)
Napi::Value create_channel(const Napi::CallbackInfo &info) {
  const auto context = unbox<Context>(info[0]);
  auto channel = std::make_shared<Channel>();
  channel->channel = ibv_create_comp_channel(context->context);
  if (channel->channel == nullptr) throw_errno(info.Env(), "ibv_create_comp_channel", errno);
  opened(*channel, context);
  return box(info.Env(), channel);
}

// verbsDestroyChannel(channel)
void destroy_channel(const Napi::CallbackInfo &info) {
  const auto channel = unbox<Channel>(info[0]);
  require_unused(info.Env(), *channel, "destroyed");
  check(info.Env(), "ibv_destroy_comp_channel", ibv_destroy_comp_channel(channel->channel));
  closed(*channel);
}

// verbsCreateCq(context, entries, channel, vector)
Napi::Value create_cq(const Napi::CallbackInfo &info) {
  const auto context = unbox<Context>(info[0]);
  auto cq = std::make_shared<Cq>();
  if (!info[2].IsUndefined()) cq->channel = unbox<Channel>(info[2]);
  raise_memlock();
  cq->cq = ibv_create_cq(context->context, info[1].As<Napi::Number>(), nullptr,
                         cq->channel ? cq->channel->channel : nullptr, info[3].As<Napi::Number>());
  if (cq->cq == nullptr) throw_for_want_of_memory(info.Env(), "ibv_create_cq", errno, 0);
  if (cq->channel) ++cq->channel->users;
  opened(*cq, context);
  return box(info.Env(), cq);
}

// verbsCqEntries(cq)
Napi::Value cq_entries(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), unbox<Cq>(info[0])->cq->cqe);
}

// verbsDestroyCq(cq)
void destroy_cq(const Napi::CallbackInfo &info) {
  const auto cq = unbox<Cq>(info[0]);
  require_unused(info.Env(), *cq, "destroyed");
  if (cq->unacknowledged > 0) ibv_ack_cq_events(cq->cq, cq->unacknowledged);  // it would be waited for
  cq->unacknowledged = 0;
  check(info.Env(), "ibv_destroy_cq", ibv_destroy_cq(cq->cq));
  if (cq->channel) --cq->channel->users;
  closed(*cq);
}

// verbsOpenXrcd(context)
Napi::Value open_xrcd(const Napi::CallbackInfo &info) {
  const auto context = unbox<Context>(info[0]);
  auto xrcd = std::make_shared<Xrcd>();
  ibv_xrcd_init_attr attributes = {};
  attributes.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
  attributes.fd = -1;
  attributes.oflags = O_CREAT;
  xrcd->xrcd = ibv_open_xrcd(context->context, &attributes);
  if (xrcd->xrcd == nullptr) throw_errno(info.Env(), "ibv_open_xrcd", errno);
  opened(*xrcd, context);
  return box(info.Env(), xrcd);
}

// verbsCloseXrcd(xrcd)
void close_xrcd(const Napi::CallbackInfo &info) {
  const auto xrcd = unbox<Xrcd>(info[0]);
  require_unused(info.Env(), *xrcd, "closed");
  check(info.Env(), "ibv_close_xrcd", ibv_close_xrcd(xrcd->xrcd));
  closed(*xrcd);
}

// verbsCreateSrq(pd, maxWr, xrcd, cq)
Napi::Value create_srq(const Napi::CallbackInfo &info) {
  const auto pd = unbox<Pd>(info[0]);
  auto srq = std::make_shared<Srq>();
  srq->pd = pd;
  ibv_srq_init_attr_ex attributes = {};
  attributes.attr.max_wr = info[1].As<Napi::Number>();
  attributes.attr.max_sge = 1;
  attributes.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE;
  attributes.srq_type = IBV_SRQT_BASIC;
  attributes.pd = pd->pd;
  if (!info[2].IsUndefined()) {
    srq->xrcd = unbox<Xrcd>(info[2]);
    srq->cq = unbox<Cq>(info[3]);
    attributes.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
    attributes.srq_type = IBV_SRQT_XRC;
    attributes.xrcd = srq->xrcd->xrcd;
    attributes.cq = srq->cq->cq;
  }
  raise_memlock();
  srq->srq = ibv_create_srq_ex(pd->context->context, &attributes);
  if (srq->srq == nullptr) throw_for_want_of_memory(info.Env(), "ibv_create_srq", errno, 0);
  if (srq->xrcd) ibv_get_srq_num(srq->srq, &srq->number);
  ++pd->users;
  if (srq->xrcd) ++srq->xrcd->users;
  if (srq->cq) ++srq->cq->users;
  opened(*srq, pd->context);
  return box(info.Env(), srq);
}

// verbsSrqNumber(srq)
Napi::Value srq_number(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), unbox<Srq>(info[0])->number);
}

// verbsDestroySrq(srq)
void destroy_srq(const Napi::CallbackInfo &info) {
  const auto srq = unbox<Srq>(info[0]);
  require_unused(info.Env(), *srq, "destroyed");
  check(info.Env(), "ibv_destroy_srq", ibv_destroy_srq(srq->srq));
  --srq->pd->users;
  if (srq->xrcd) --srq->xrcd->users;
  if (srq->cq) --srq->cq->users;
  closed(*srq);
}

}  // namespace

void register_queues(Napi::Env env, Napi::Object exports) {
  exports.Set("verbsCreateChannel", Napi::Function::New(env, create_channel));
  exports.Set("verbsDestroyChannel", Napi::Function::New(env, destroy_channel));
  exports.Set("verbsCreateCq", Napi::Function::New(env, create_cq));
  exports.Set("verbsCqEntries", Napi::Function::New(env, cq_entries));
  exports.Set("verbsDestroyCq", Napi::Function::New(env, destroy_cq));
  exports.Set("verbsOpenXrcd", Napi::Function::New(env, open_xrcd));
  exports.Set("verbsCloseXrcd", Napi::Function::New(env, close_xrcd));
  exports.Set("verbsCreateSrq", Napi::Function::New(env, create_srq));
  exports.Set("verbsSrqNumber", Napi::Function::New(env, srq_number));
  exports.Set("verbsDestroySrq", Napi::Function::New(env, destroy_srq));
}

}  // namespace fabricbench::verbs
