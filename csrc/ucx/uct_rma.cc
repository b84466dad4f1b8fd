// Put and get.
#include "ucx/uct_calls.hpp"

namespace fabricbench::ucx {
namespace {

struct Rma : UctCall {
  uint64_t address = 0;
  uct_rkey_t key = 0;
  uint8_t *stamp = nullptr;  // the last byte of the data
  uint8_t sequence = 0;
};

struct PutShort : Rma {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_put_short";
  UctBytes bytes;
  ucs_status_t post() { return uct_ep_put_short(ep, bytes.data, static_cast<unsigned>(bytes.length), address, key); }
  void take(const UctRequest &request) { bytes = request.bytes(); }
};

struct PutBcopy : Rma {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_put_bcopy";
  UctBytes bytes;
  ucs_status_t post() { return uct_status_of(uct_ep_put_bcopy(ep, uct_pack_bytes, &bytes, address, key)); }
  void take(const UctRequest &request) { bytes = request.bytes(); }
};

struct PutBcopyPieces : Rma {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_put_bcopy";
  UctPieces pieces;
  ucs_status_t post() { return uct_status_of(uct_ep_put_bcopy(ep, uct_pack_pieces, &pieces, address, key)); }
  void take(const UctRequest &request) { pieces.pieces = request.pieces(0); }
};

struct PutZcopy : Rma {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_put_zcopy";
  std::vector<uct_iov_t> iov;
  ucs_status_t post() { return uct_ep_put_zcopy(ep, iov.data(), iov.size(), address, key, &in_flight->completion); }
  void take(const UctRequest &request) { iov = request.iov(0); }
};

struct GetShort : Rma {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_get_short";
  UctBytes bytes;
  ucs_status_t post() { return uct_ep_get_short(ep, bytes.data, static_cast<unsigned>(bytes.length), address, key); }
  void take(const UctRequest &request) { bytes = request.bytes(); }
};

void unpack(void *to, const void *data, size_t length) { memcpy(to, data, length); }

struct GetBcopy : Rma {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_get_bcopy";
  UctBytes bytes;
  ucs_status_t post() {
    return uct_ep_get_bcopy(ep, unpack, bytes.data, bytes.length, address, key, &in_flight->completion);
  }
  void take(const UctRequest &request) { bytes = request.bytes(); }
};

struct GetZcopy : Rma {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_get_zcopy";
  std::vector<uct_iov_t> iov;
  ucs_status_t post() { return uct_ep_get_zcopy(ep, iov.data(), iov.size(), address, key, &in_flight->completion); }
  void take(const UctRequest &request) { iov = request.iov(0); }
};

template <class T>
int32_t execute_stamped(Operation *self, Context *context) {
  auto *call = static_cast<T *>(self);
  *call->stamp = ++call->sequence;
  return uct_post(call, context);
}

template <class T>
void prepare_rma(T &call, const UctRequest &request) {
  const auto key = request.box<UctRkey>("key");
  call.uses.push_back(key);
  call.key = key->bundle.rkey;
  call.address = request.word("address");
  call.take(request);
}

template <class T>
Napi::Value bind(const UctRequest &request) {
  return uct_bind_call<T>(request, T::kName, [&](T &call) { prepare_rma(call, request); });
}

template <class T>
Napi::Value bind_put(const UctRequest &request) {
  if (!request.flag("stamp")) return bind<T>(request);
  return uct_bind_call<T, execute_stamped<T>>(request, T::kName, [&](T &call) {
    prepare_rma(call, request);
    call.stamp = reinterpret_cast<uint8_t *>(request.data("buffer")) + request.number("lastByte");
  });
}

// uctBindPut(request)
Napi::Value put(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  const std::string layout = request.layout();
  if (layout == "short") return bind_put<PutShort>(request);
  if (layout == "zcopy") return bind_put<PutZcopy>(request);
  return request.flag("inPieces") ? bind_put<PutBcopyPieces>(request) : bind_put<PutBcopy>(request);
}

// uctBindGet(request)
Napi::Value get(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  const std::string layout = request.layout();
  if (layout == "short") return bind<GetShort>(request);
  return layout == "zcopy" ? bind<GetZcopy>(request) : bind<GetBcopy>(request);
}

}  // namespace

void register_uct_rma(Napi::Env env, Napi::Object exports) {
  exports.Set("uctBindPut", Napi::Function::New(env, put));
  exports.Set("uctBindGet", Napi::Function::New(env, get));
}

}  // namespace fabricbench::ucx
