// Queue pairs are made here, for JavaScript and for librdmacm's connections: by the ibv_wr_* API where the device has
// it, and with as much inline as it can carry.
#include <cerrno>
#include <unordered_map>

#include "verbs/dc.hpp"
#include "verbs/memlock.hpp"
#include "verbs/objects.hpp"

namespace fabricbench::verbs {
namespace {

using Create = std::function<ibv_qp *(ibv_qp_init_attr_ex *)>;

constexpr uint64_t kSends = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
constexpr uint64_t kWrites = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
constexpr uint64_t kAtomics = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
constexpr uint64_t kReliable = kSends | kWrites | IBV_QP_EX_WITH_RDMA_READ;

struct Kind {
  ibv_qp_type type;
  uint64_t calls;  // of ibv_wr_*; 0: it sends nothing
};

const Kind &kind_of(const std::string &type) {
  static const std::unordered_map<std::string, Kind> kinds = {
      {"RC", {IBV_QPT_RC, kReliable | kAtomics}},
      {"UC", {IBV_QPT_UC, kSends | kWrites}},
      {"UD", {IBV_QPT_UD, kSends}},
      {"XRC_SEND", {IBV_QPT_XRC_SEND, kReliable | kAtomics}},
      {"XRC_RECV", {IBV_QPT_XRC_RECV, 0}},
      {"DCI", {IBV_QPT_DRIVER, kReliable | kAtomics}},
      {"DCT", {IBV_QPT_DRIVER, 0}},
  };
  return kinds.at(type);
}

bool has_atomics(ibv_context *context) {
  ibv_device_attr device = {};
  return ibv_query_device(context, &device) == 0 && device.atomic_cap != IBV_ATOMIC_NONE;
}

template <class T>
std::shared_ptr<T> optional(const Napi::Object &options, const char *name) {
  const Napi::Value value = options.Get(name);
  return value.IsUndefined() ? nullptr : unbox<T>(value);
}

ibv_qp_init_attr_ex attributes_of(const Qp &qp, const Napi::Object &options) {
  const auto number = [&](const char *name) { return options.Get(name).As<Napi::Number>().Uint32Value(); };
  ibv_qp_init_attr_ex attributes = {};
  attributes.qp_type = kind_of(qp.type).type;
  if (attributes.qp_type == IBV_QPT_XRC_RECV) {  // it has a domain, and all else from the peers' SRQs
    attributes.comp_mask = IBV_QP_INIT_ATTR_XRCD;
    attributes.xrcd = qp.xrcd->xrcd;
    return attributes;
  }
  attributes.comp_mask = IBV_QP_INIT_ATTR_PD;
  attributes.pd = qp.pd->pd;
  attributes.send_cq = qp.send_cq->cq;
  attributes.recv_cq = qp.recv_cq->cq;
  attributes.srq = qp.srq ? qp.srq->srq : nullptr;
  if (qp.type == "DCT") return attributes;
  attributes.cap.max_send_wr = number("maxSendWr");
  attributes.cap.max_send_sge = 1;
  attributes.cap.max_inline_data = number("maxInline");
  const bool receives = !qp.srq && attributes.qp_type != IBV_QPT_XRC_SEND && qp.type != "DCI";
  attributes.cap.max_recv_wr = receives ? number("maxRecvWr") : 0;
  attributes.cap.max_recv_sge = receives ? 1 : 0;
  return attributes;
}

// One trial; attributes are changed by a call that succeeds.
ibv_qp *attempt(const Create &create, const ibv_qp_init_attr_ex &wanted, ibv_qp_init_attr_ex *got) {
  *got = wanted;
  return create(got);
}

void destroy(const Qp &qp, ibv_qp *made) {
  if (qp.destroy) {
    qp.destroy(made);
  } else {
    ibv_destroy_qp(made);
  }
}

// The most inline that the device takes below `refused`; -1 where it refuses for another reason.
int64_t most_inline(const Qp &qp, const Create &create, ibv_qp_init_attr_ex wanted) {
  int64_t takes = -1, refused = wanted.cap.max_inline_data;
  ibv_qp_init_attr_ex got;
  for (int64_t next = 0; next < refused && refused - takes > 1; next = takes + (refused - takes) / 2) {
    wanted.cap.max_inline_data = static_cast<uint32_t>(next);
    ibv_qp *made = attempt(create, wanted, &got);
    if (made == nullptr) {
      refused = next;
    } else {
      destroy(qp, made);
      takes = next;
    }
    if (takes < 0) return -1;
  }
  return takes;
}

// After a refusal of `wanted`: with less inline where that is allowed. Throws, or returns null with errno as it was.
ibv_qp *with_less_inline(Napi::Env env, const Qp &qp, const Create &create, ibv_qp_init_attr_ex wanted, bool allowed,
                         ibv_qp_init_attr_ex *got) {
  const int code = errno;
  const uint32_t asked = wanted.cap.max_inline_data;
  const int64_t most = code == EINVAL || code == ENOMEM ? most_inline(qp, create, wanted) : -1;
  errno = code;
  if (asked == 0 || most < 0) return nullptr;
  wanted.cap.max_inline_data = static_cast<uint32_t>(most);
  if (allowed) return attempt(create, wanted, got);
  throw Napi::RangeError::New(env, qp.pd->context->device + " carries at most " + std::to_string(most) +
                                       " bytes inline with " + qp.type + ", not " + std::to_string(asked) +
                                       ": ask for less");
}

void keep(Qp &qp, const ibv_qp_init_attr_ex &attributes, bool by_wr_api) {
  if (by_wr_api) qp.qp_ex = ibv_qp_to_qp_ex(qp.qp);
  if (qp.type == "DCI") qp.dci = dci_of(qp.qp_ex);
  qp.max_inline = attributes.cap.max_inline_data;
  ++qp.pd->users;
  if (qp.send_cq) ++qp.send_cq->users;
  if (qp.recv_cq) ++qp.recv_cq->users;
  if (qp.srq) ++qp.srq->users;
  if (qp.xrcd) ++qp.xrcd->users;
}

[[noreturn]] void refuse_wr_api(Napi::Env env, const Qp &qp) {
  throw Napi::RangeError::New(env, qp.pd->context->device + " has no ibv_wr_* calls for " + qp.type +
                                       ": let ibv_post_send post (wrApi: false)");
}

}  // namespace

std::shared_ptr<Qp> make_qp(Napi::Env env, const std::shared_ptr<Pd> &pd, const Napi::Object &options,
                            const Create &create, const char *call, const std::function<int(ibv_qp *)> &destroy_by) {
  auto qp = std::make_shared<Qp>();
  qp->pd = pd;
  qp->type = options.Get("type").As<Napi::String>();
  qp->send_cq = optional<Cq>(options, "sendCq");
  qp->recv_cq = optional<Cq>(options, "recvCq");
  qp->srq = optional<Srq>(options, "srq");
  qp->xrcd = optional<Xrcd>(options, "xrcd");
  qp->destroy = destroy_by;
  raise_memlock();
  const bool less = options.Get("inlineIfPossible").ToBoolean();
  const Napi::Value api = options.Get("wrApi");
  const ibv_qp_init_attr_ex plain = attributes_of(*qp, options);
  ibv_qp_init_attr_ex with_api = plain, got;
  with_api.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  with_api.send_ops_flags = kind_of(qp->type).calls & ~(has_atomics(pd->context->context) ? 0 : kAtomics);
  bool by_api = with_api.send_ops_flags != 0 && (api.IsUndefined() || api.ToBoolean());
  if (by_api) {
    qp->qp = attempt(create, with_api, &got);
    if (qp->qp == nullptr) qp->qp = with_less_inline(env, *qp, create, with_api, less, &got);
    by_api = qp->qp != nullptr;
    if (!by_api && !api.IsUndefined() && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)) {
      refuse_wr_api(env, *qp);
    }
  }
  if (!by_api) {
    qp->qp = attempt(create, plain, &got);
    if (qp->qp == nullptr) qp->qp = with_less_inline(env, *qp, create, plain, less, &got);
  }
  if (qp->qp == nullptr) throw_for_want_of_memory(env, call, errno, 0);
  keep(*qp, got, by_api);
  opened(*qp, pd->context);
  return qp;
}

}  // namespace fabricbench::verbs
