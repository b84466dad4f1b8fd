// Atomic operations.
#include "ucx/uct_calls.hpp"

namespace fabricbench::ucx {
namespace {

struct Atomic : UctCall {
  uct_atomic_op_t code = UCT_ATOMIC_OP_ADD;
  uint64_t value = 0;
  uint64_t compare = 0;
  uint64_t address = 0;
  uct_rkey_t key = 0;
  void *result = nullptr;
};

struct Post32 : Atomic {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_atomic32_post";
  ucs_status_t post() { return uct_ep_atomic32_post(ep, code, static_cast<uint32_t>(value), address, key); }
};

struct Post64 : Atomic {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_atomic64_post";
  ucs_status_t post() { return uct_ep_atomic64_post(ep, code, value, address, key); }
};

struct Fetch32 : Atomic {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_atomic32_fetch";
  ucs_status_t post() {
    return uct_ep_atomic32_fetch(ep, code, static_cast<uint32_t>(value), static_cast<uint32_t *>(result), address, key,
                                 &in_flight->completion);
  }
};

struct Fetch64 : Atomic {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_atomic64_fetch";
  ucs_status_t post() {
    return uct_ep_atomic64_fetch(ep, code, value, static_cast<uint64_t *>(result), address, key,
                                 &in_flight->completion);
  }
};

struct Cswap32 : Atomic {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_atomic_cswap32";
  ucs_status_t post() {
    return uct_ep_atomic_cswap32(ep, static_cast<uint32_t>(compare), static_cast<uint32_t>(value), address, key,
                                 static_cast<uint32_t *>(result), &in_flight->completion);
  }
};

struct Cswap64 : Atomic {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_atomic_cswap64";
  ucs_status_t post() {
    return uct_ep_atomic_cswap64(ep, compare, value, address, key, static_cast<uint64_t *>(result),
                                 &in_flight->completion);
  }
};

uct_atomic_op_t code_of(const std::string &name) {
  if (name == "add") return UCT_ATOMIC_OP_ADD;
  if (name == "and") return UCT_ATOMIC_OP_AND;
  if (name == "or") return UCT_ATOMIC_OP_OR;
  if (name == "xor") return UCT_ATOMIC_OP_XOR;
  return name == "swap" ? UCT_ATOMIC_OP_SWAP : UCT_ATOMIC_OP_CSWAP;
}

template <class T>
Napi::Value bind(const UctRequest &request, uct_atomic_op_t code) {
  return uct_bind_call<T>(request, T::kName, [&](T &call) {
    const auto key = request.box<UctRkey>("key");
    call.uses.push_back(key);
    call.key = key->bundle.rkey;
    call.address = request.word("address");
    call.code = code;
    call.value = request.word("value");
    call.compare = request.word("compare");
    if (!request.get("buffer").IsUndefined()) call.result = request.data("buffer");
  });
}

// uctBindAtomic(request): `buffer` takes the old value, undefined for the posted forms
Napi::Value atomic(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  const uct_atomic_op_t code = code_of(request.get("name").As<Napi::String>().Utf8Value());
  const bool is_long = request.number("size") == 8;
  if (!request.has("buffer")) return is_long ? bind<Post64>(request, code) : bind<Post32>(request, code);
  if (code == UCT_ATOMIC_OP_CSWAP) return is_long ? bind<Cswap64>(request, code) : bind<Cswap32>(request, code);
  return is_long ? bind<Fetch64>(request, code) : bind<Fetch32>(request, code);
}

}  // namespace

void register_uct_atomic(Napi::Env env, Napi::Object exports) {
  exports.Set("uctBindAtomic", Napi::Function::New(env, atomic));
}

}  // namespace fabricbench::ucx
