// What an interface can do, as JavaScript sees it.
#include <ucs/memory/memory_type.h>

#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {
namespace {

struct Name {
  uint64_t bit;
  const char *text;
};

#define FLAG(name) \
  { UCT_IFACE_FLAG_##name, #name }
constexpr Name kFlags[] = {
    FLAG(AM_SHORT),
    FLAG(AM_BCOPY),
    FLAG(AM_ZCOPY),
    FLAG(PENDING),
    FLAG(PUT_SHORT),
    FLAG(PUT_BCOPY),
    FLAG(PUT_ZCOPY),
    FLAG(GET_SHORT),
    FLAG(GET_BCOPY),
    FLAG(GET_ZCOPY),
    FLAG(ATOMIC_CPU),
    FLAG(ATOMIC_DEVICE),
    FLAG(ERRHANDLE_SHORT_BUF),
    FLAG(ERRHANDLE_BCOPY_BUF),
    FLAG(ERRHANDLE_ZCOPY_BUF),
    FLAG(ERRHANDLE_AM_ID),
    FLAG(ERRHANDLE_REMOTE_MEM),
    FLAG(ERRHANDLE_BCOPY_LEN),
    FLAG(ERRHANDLE_PEER_FAILURE),
    FLAG(EP_CHECK),
    FLAG(CONNECT_TO_IFACE),
    FLAG(CONNECT_TO_EP),
    FLAG(CONNECT_TO_SOCKADDR),
    FLAG(AM_DUP),
    FLAG(CB_SYNC),
    FLAG(CB_ASYNC),
    FLAG(EP_KEEPALIVE),
    FLAG(TAG_EAGER_SHORT),
    FLAG(TAG_EAGER_BCOPY),
    FLAG(TAG_EAGER_ZCOPY),
    FLAG(TAG_RNDV_ZCOPY),
};
#undef FLAG

constexpr Name kDomainFlags[] = {
    {UCT_MD_FLAG_ALLOC, "ALLOC"},
    {UCT_MD_FLAG_REG, "REG"},
    {UCT_MD_FLAG_NEED_MEMH, "NEED_MEMH"},
    {UCT_MD_FLAG_NEED_RKEY, "NEED_RKEY"},
    {UCT_MD_FLAG_ADVISE, "ADVISE"},
    {UCT_MD_FLAG_FIXED, "FIXED"},
    {UCT_MD_FLAG_RKEY_PTR, "RKEY_PTR"},
    {UCT_MD_FLAG_SOCKADDR, "SOCKADDR"},
    {UCT_MD_FLAG_INVALIDATE, "INVALIDATE"},
    // Later than 1.13.
    {UCS_BIT(9), "EXPORTED_MKEY"},
    {UCS_BIT(10), "REG_DMABUF"},
};

constexpr Name kAtomics[] = {
    {UCS_BIT(UCT_ATOMIC_OP_ADD), "add"}, {UCS_BIT(UCT_ATOMIC_OP_AND), "and"},   {UCS_BIT(UCT_ATOMIC_OP_OR), "or"},
    {UCS_BIT(UCT_ATOMIC_OP_XOR), "xor"}, {UCS_BIT(UCT_ATOMIC_OP_SWAP), "swap"}, {UCS_BIT(UCT_ATOMIC_OP_CSWAP), "cswap"},
};

template <size_t kCount>
Napi::Array names(Napi::Env env, uint64_t bits, const Name (&known)[kCount]) {
  Napi::Array list = Napi::Array::New(env);
  for (const Name &each : known) {
    if ((bits & each.bit) != 0) list[list.Length()] = Napi::String::New(env, each.text);
  }
  return list;
}

Napi::Array memory_types(Napi::Env env, uint64_t bits) {
  Napi::Array list = Napi::Array::New(env);
  for (unsigned type = 0; type < UCS_MEMORY_TYPE_LAST; ++type) {
    if ((bits & UCS_BIT(type)) != 0) list[list.Length()] = Napi::String::New(env, ucs_memory_type_names[type]);
  }
  return list;
}

Napi::Number number(Napi::Env env, double value) { return Napi::Number::New(env, value); }

Napi::Value largest(Napi::Env env, bool offered, size_t max) {
  if (!offered) return env.Null();
  Napi::Object limit = Napi::Object::New(env);
  limit.Set("max", number(env, static_cast<double>(max)));
  return limit;
}

// Limits of a kind of call; `kind` is one of the structs in cap, `first` its flag for short, whose successors are those
// for bcopy and zcopy.
template <class Kind>
Napi::Object limits(Napi::Env env, const Kind &kind, uint64_t flags, uint64_t first) {
  Napi::Object all = Napi::Object::New(env);
  all.Set("short", largest(env, (flags & first) != 0, kind.max_short));
  all.Set("bcopy", largest(env, (flags & (first << 1)) != 0, kind.max_bcopy));
  const Napi::Value zcopy = largest(env, (flags & (first << 2)) != 0, kind.max_zcopy);
  if (zcopy.IsObject()) {
    zcopy.As<Napi::Object>().Set("min", number(env, static_cast<double>(kind.min_zcopy)));
    zcopy.As<Napi::Object>().Set("maxIov", number(env, static_cast<double>(kind.max_iov)));
  }
  all.Set("zcopy", zcopy);
  return all;
}

template <class Atomics>
Napi::Object atomics(Napi::Env env, const Atomics &offered) {
  Napi::Object both = Napi::Object::New(env);
  both.Set("op", names(env, offered.op_flags, kAtomics));
  both.Set("fop", names(env, offered.fop_flags, kAtomics));
  return both;
}

// Null where there is no such limit, or the domain doesn't do it at all.
Napi::Value most(Napi::Env env, bool able, uint64_t size) {
  if (!able || size >= UINT64_C(1) << 53) return env.Null();
  return number(env, static_cast<double>(size));
}

Napi::Object domain(Napi::Env env, const uct_md_attr_t &md) {
  Napi::Object all = Napi::Object::New(env);
  all.Set("flags", names(env, md.cap.flags, kDomainFlags));
  all.Set("maxAlloc", most(env, (md.cap.flags & UCT_MD_FLAG_ALLOC) != 0, md.cap.max_alloc));
  all.Set("maxReg", most(env, (md.cap.flags & UCT_MD_FLAG_REG) != 0, md.cap.max_reg));
  all.Set("keySize", number(env, static_cast<double>(md.rkey_packed_size)));
  all.Set("memoryTypes", memory_types(env, md.cap.access_mem_types));
  return all;
}

// uctAttributes(iface): UctIfaceAttributes
Napi::Value attributes(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto iface = uct_unbox<UctIface>(info[0]);
  const uct_iface_attr_t &has = iface->attributes;
  Napi::Object all = Napi::Object::New(env), bandwidth = Napi::Object::New(env);
  all.Set("flags", names(env, has.cap.flags, kFlags));
  Napi::Object am = limits(env, has.cap.am, has.cap.flags, UCT_IFACE_FLAG_AM_SHORT);
  if (am.Get("short").IsObject()) {
    am.Get("short").As<Napi::Object>().Set("maxIov", number(env, static_cast<double>(has.cap.am.max_iov)));
  }
  am.Set("maxHeader", number(env, static_cast<double>(has.cap.am.max_hdr)));
  all.Set("am", am);
  all.Set("put", limits(env, has.cap.put, has.cap.flags, UCT_IFACE_FLAG_PUT_SHORT));
  all.Set("get", limits(env, has.cap.get, has.cap.flags, UCT_IFACE_FLAG_GET_SHORT));
  all.Set("atomic32", atomics(env, has.cap.atomic32));
  all.Set("atomic64", atomics(env, has.cap.atomic64));
  all.Set("overhead", number(env, has.overhead));
  all.Set("latency", number(env, has.latency.c + has.latency.m));
  bandwidth.Set("dedicated", number(env, has.bandwidth.dedicated));
  bandwidth.Set("shared", number(env, has.bandwidth.shared));
  all.Set("bandwidth", bandwidth);
  all.Set("md", domain(env, iface->md_attributes));
  return all;
}

}  // namespace

void register_uct_attributes(Napi::Env env, Napi::Object exports) {
  exports.Set("uctAttributes", Napi::Function::New(env, attributes));
}

}  // namespace fabricbench::ucx
