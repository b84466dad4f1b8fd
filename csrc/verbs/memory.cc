// Protection domains, memory regions, address handles.
#include <cerrno>
#include <cstring>

#include "verbs/memlock.hpp"
#include "verbs/objects.hpp"
#include "verbs/paths.hpp"

namespace fabricbench::verbs {
namespace {

// verbsAllocPd(context)
Napi::Value alloc_pd(const Napi::CallbackInfo &info) {
  const auto context = unbox<Context>(info[0]);
  auto pd = std::make_shared<Pd>();
  pd->pd = ibv_alloc_pd(context->context);
  if (pd->pd == nullptr) throw_errno(info.Env(), "ibv_alloc_pd", errno);
  opened(*pd, context);
  return box(info.Env(), pd);
}

// verbsDeallocPd(pd)
void dealloc_pd(const Napi::CallbackInfo &info) {
  const auto pd = unbox<Pd>(info[0]);
  require_unused(info.Env(), *pd, "deallocated");
  check(info.Env(), "ibv_dealloc_pd", ibv_dealloc_pd(pd->pd));
  closed(*pd);
}

// verbsRegMr(pd, buffer, access)
Napi::Value reg_mr(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto pd = unbox<Pd>(info[0]);
  const Bytes bytes = bytes_of(env, info[1], "the buffer");
  auto mr = std::make_shared<Mr>();
  mr->pd = pd;
  mr->buffer = bytes.handle;
  raise_memlock();
  mr->mr = ibv_reg_mr(pd->pd, bytes.data, bytes.byte_length, info[2].As<Napi::Number>().Uint32Value());
  if (mr->mr == nullptr) throw_for_want_of_memory(env, "ibv_reg_mr", errno, bytes.byte_length);
  hold_buffer(mr->buffer);
  ++mr->buffer->users;
  ++pd->users;
  opened(*mr, pd->context);
  return box(env, mr);
}

// verbsMrInfo(mr)
Napi::Value mr_info(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const ibv_mr *mr = unbox<Mr>(info[0])->mr;
  Napi::Object result = Napi::Object::New(env);
  result.Set("address", Napi::BigInt::New(env, reinterpret_cast<uint64_t>(mr->addr)));
  result.Set("lkey", mr->lkey);
  result.Set("rkey", mr->rkey);
  return result;
}

// verbsDeregMr(mr)
void dereg_mr(const Napi::CallbackInfo &info) {
  const auto mr = unbox<Mr>(info[0]);
  require_unused(info.Env(), *mr, "deregistered");
  check(info.Env(), "ibv_dereg_mr", ibv_dereg_mr(mr->mr));
  --mr->buffer->users;
  release_buffer(mr->buffer);
  --mr->pd->users;
  closed(*mr);
}

// verbsCreateAh(pd, path)
Napi::Value create_ah(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto pd = unbox<Pd>(info[0]);
  auto ah = std::make_shared<Ah>();
  ah->pd = pd;
  ibv_ah_attr attributes = path_attributes(info[1].As<Napi::Object>());
  ah->ah = ibv_create_ah(pd->pd, &attributes);
  if (ah->ah == nullptr) throw_errno(env, "ibv_create_ah", errno, path_mend(attributes, errno).c_str());
  ++pd->users;
  opened(*ah, pd->context);
  return box(env, ah);
}

// verbsDestroyAh(ah)
void destroy_ah(const Napi::CallbackInfo &info) {
  const auto ah = unbox<Ah>(info[0]);
  require_unused(info.Env(), *ah, "destroyed");
  check(info.Env(), "ibv_destroy_ah", ibv_destroy_ah(ah->ah));
  --ah->pd->users;
  closed(*ah);
}

}  // namespace

void register_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("verbsAllocPd", Napi::Function::New(env, alloc_pd));
  exports.Set("verbsDeallocPd", Napi::Function::New(env, dealloc_pd));
  exports.Set("verbsRegMr", Napi::Function::New(env, reg_mr));
  exports.Set("verbsMrInfo", Napi::Function::New(env, mr_info));
  exports.Set("verbsDeregMr", Napi::Function::New(env, dereg_mr));
  exports.Set("verbsCreateAh", Napi::Function::New(env, create_ah));
  exports.Set("verbsDestroyAh", Napi::Function::New(env, destroy_ah));
  register_huge_pages(env, exports);
}

}  // namespace fabricbench::verbs
