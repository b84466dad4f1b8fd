// Queue pairs: making, connecting, ending.
#include <cerrno>
#include <cstring>

#include "verbs/dc.hpp"
#include "verbs/objects.hpp"
#include "verbs/paths.hpp"

namespace fabricbench::verbs {
namespace {

// verbsCreateQp(pd, options)
Napi::Value create_qp(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto pd = unbox<Pd>(info[0]);
  const auto options = info[1].As<Napi::Object>();
  ibv_context *context = pd->context->context;
  const std::string type = options.Get("type").As<Napi::String>();
  if (type != "DCI" && type != "DCT") {
    const auto create = [context](ibv_qp_init_attr_ex *attributes) { return ibv_create_qp_ex(context, attributes); };
    return box(env, make_qp(env, pd, options, create, "ibv_create_qp"));
  }
  require_dc(env, context);
  const auto create = [&](ibv_qp_init_attr_ex *attributes) { return create_dc(context, type, attributes); };
  return box(env, make_qp(env, pd, options, create, "mlx5dv_create_qp"));
}

// verbsQpInfo(qp)
Napi::Value qp_info(const Napi::CallbackInfo &info) {
  const auto qp = unbox<Qp>(info[0]);
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("number", qp->qp->qp_num);
  result.Set("maxInline", qp->max_inline);
  result.Set("wrApi", qp->qp_ex != nullptr);
  return result;
}

// Reads the numbers of an object of options.
struct Numbers {
  Napi::Object options;
  uint32_t operator[](const char *name) const { return options.Get(name).As<Napi::Number>().Uint32Value(); }
};

void modify(Napi::Env env, Qp &qp, ibv_qp_attr &attributes, int mask, const char *state, const std::string &mend) {
  const int code = ibv_modify_qp(qp.qp, &attributes, mask);
  if (code == 0) return;
  const std::string call = std::string("ibv_modify_qp to ") + state;
  throw_errno(env, call.c_str(), code, mend.empty() ? nullptr : mend.c_str());
}

// Rights of the other side over this queue pair's memory, besides those of each region.
unsigned access_of(const Qp &qp) {
  constexpr unsigned kWrites = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
  if (qp.type == "UC") return kWrites;
  ibv_device_attr device = {};
  const bool atomics = ibv_query_device(qp.qp->context, &device) == 0 && device.atomic_cap != IBV_ATOMIC_NONE;
  return kWrites | IBV_ACCESS_REMOTE_READ | (atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

void to_init(Napi::Env env, Qp &qp, const Numbers &of) {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = static_cast<uint16_t>(of["pkeyIndex"]);
  attributes.port_num = static_cast<uint8_t>(of["port"]);
  int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
  if (qp.type == "UD") {
    attributes.qkey = of["qkey"];
    mask |= IBV_QP_QKEY;
  } else if (qp.type != "DCI") {
    attributes.qp_access_flags = access_of(qp);
    mask |= IBV_QP_ACCESS_FLAGS;
  }
  modify(env, qp, attributes, mask, "INIT", "check port and pkeyIndex");
}

// What a transition takes, by the type of the queue pair.
int rtr_mask(const std::string &type) {
  if (type == "UD") return IBV_QP_STATE;
  if (type == "DCI") return IBV_QP_STATE | IBV_QP_PATH_MTU;
  if (type == "DCT") return IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV | IBV_QP_MIN_RNR_TIMER;
  const int connected = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  const bool answers = type == "RC" || type == "XRC_RECV";
  return connected | (answers ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0);
}

int rts_mask(const std::string &type) {
  if (type == "UD" || type == "UC") return IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (type == "XRC_RECV") return IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
  return IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
}

ibv_mtu mtu_of(uint32_t bytes) {
  int code = IBV_MTU_256;
  while (code < IBV_MTU_4096 && (128u << code) < bytes) ++code;
  return static_cast<ibv_mtu>(code);
}

void to_rtr(Napi::Env env, Qp &qp, const Numbers &of) {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.ah_attr = path_attributes(of.options.Get("path").As<Napi::Object>());
  attributes.path_mtu = mtu_of(of["mtu"]);
  attributes.dest_qp_num = of["destQpn"];
  attributes.rq_psn = of["rqPsn"];
  attributes.max_dest_rd_atomic = static_cast<uint8_t>(of["maxDestRdAtomic"]);
  attributes.min_rnr_timer = static_cast<uint8_t>(of["minRnrTimer"]);
  const int mask = rtr_mask(qp.type);
  const int code = ibv_modify_qp(qp.qp, &attributes, mask);
  if (code == 0) return;
  const std::string mend = (mask & IBV_QP_AV) != 0 ? path_mend(attributes.ah_attr, code) : "";
  throw_errno(env, "ibv_modify_qp to RTR", code, mend.empty() ? nullptr : mend.c_str());
}

void to_rts(Napi::Env env, Qp &qp, const Numbers &of) {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = of["sqPsn"];
  attributes.timeout = static_cast<uint8_t>(of["timeout"]);
  attributes.retry_cnt = static_cast<uint8_t>(of["retryCount"]);
  attributes.rnr_retry = static_cast<uint8_t>(of["rnrRetry"]);
  attributes.max_rd_atomic = static_cast<uint8_t>(of["maxRdAtomic"]);
  modify(env, qp, attributes, rts_mask(qp.type), "RTS", "");
}

ibv_qp_state state_of(Napi::Env env, const Qp &qp) {
  ibv_qp_attr attributes = {};
  ibv_qp_init_attr made = {};
  check(env, "ibv_query_qp", ibv_query_qp(qp.qp, &attributes, IBV_QP_STATE, &made));
  return attributes.qp_state;
}

// verbsPrepareQp(qp, options)
void prepare(const Napi::CallbackInfo &info) {
  to_init(info.Env(), *unbox<Qp>(info[0]), Numbers{info[1].As<Napi::Object>()});
}

// verbsConnectQp(qp, options): from INIT on
void connect(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto qp = unbox<Qp>(info[0]);
  const Numbers of{info[1].As<Napi::Object>()};
  to_rtr(env, *qp, of);
  if (qp->type != "DCT") to_rts(env, *qp, of);
}

const char *state_name(ibv_qp_state state) {
  static constexpr const char *kNames[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
  return state <= IBV_QPS_ERR ? kNames[state] : "UNKNOWN";
}

// verbsQpState(qp)
Napi::Value state(const Napi::CallbackInfo &info) {
  return Napi::String::New(info.Env(), state_name(state_of(info.Env(), *unbox<Qp>(info[0]))));
}

// verbsFailQp(qp)
void fail(const Napi::CallbackInfo &info) {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_ERR;
  modify(info.Env(), *unbox<Qp>(info[0]), attributes, IBV_QP_STATE, "ERR", "");
}

// verbsDestroyQp(qp)
void destroy(const Napi::CallbackInfo &info) {
  const auto qp = unbox<Qp>(info[0]);
  require_unused(info.Env(), *qp, "destroyed");
  check(info.Env(), qp->destroy ? "rdma_destroy_qp" : "ibv_destroy_qp",
        qp->destroy ? qp->destroy(qp->qp) : ibv_destroy_qp(qp->qp));
  --qp->pd->users;
  if (qp->send_cq) --qp->send_cq->users;
  if (qp->recv_cq) --qp->recv_cq->users;
  if (qp->srq) --qp->srq->users;
  if (qp->xrcd) --qp->xrcd->users;
  closed(*qp);
}

}  // namespace

void register_queue_pairs(Napi::Env env, Napi::Object exports) {
  exports.Set("verbsCreateQp", Napi::Function::New(env, create_qp));
  exports.Set("verbsQpInfo", Napi::Function::New(env, qp_info));
  exports.Set("verbsPrepareQp", Napi::Function::New(env, prepare));
  exports.Set("verbsConnectQp", Napi::Function::New(env, connect));
  exports.Set("verbsQpState", Napi::Function::New(env, state));
  exports.Set("verbsFailQp", Napi::Function::New(env, fail));
  exports.Set("verbsDestroyQp", Napi::Function::New(env, destroy));
}

}  // namespace fabricbench::verbs
