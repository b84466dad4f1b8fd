// Active messages.
#include "ucx/uct_calls.hpp"

namespace fabricbench::ucx {
namespace {

struct Am : UctCall {
  uint8_t id = 0;
  std::shared_ptr<UctPacing> pacing;
};

struct AmShort : Am {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_am_short";
  UctBytes bytes;
  ucs_status_t post() {
    uint64_t header;
    memcpy(&header, bytes.data, sizeof header);
    return uct_ep_am_short(ep, id, header, bytes.data + sizeof header,
                           static_cast<unsigned>(bytes.length - sizeof header));
  }
  void take(const UctRequest &request) { bytes = request.bytes(); }
};

struct AmShortIov : Am {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_am_short_iov";
  std::vector<uct_iov_t> iov;
  ucs_status_t post() { return uct_ep_am_short_iov(ep, id, iov.data(), iov.size()); }
  void take(const UctRequest &request) { iov = request.iov(0); }
};

struct AmBcopy : Am {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_am_bcopy";
  UctBytes bytes;
  ucs_status_t post() { return uct_status_of(uct_ep_am_bcopy(ep, id, uct_pack_bytes, &bytes, 0)); }
  void take(const UctRequest &request) { bytes = request.bytes(); }
};

struct AmBcopyPieces : Am {
  static constexpr bool kLasts = false;
  static constexpr const char *kName = "uct_ep_am_bcopy";
  UctPieces pieces;
  ucs_status_t post() { return uct_status_of(uct_ep_am_bcopy(ep, id, uct_pack_pieces, &pieces, 0)); }
  void take(const UctRequest &request) { pieces.pieces = request.pieces(0); }
};

struct AmZcopy : Am {
  static constexpr bool kLasts = true;
  static constexpr const char *kName = "uct_ep_am_zcopy";
  const void *header = nullptr;
  unsigned header_length = 0;
  std::vector<uct_iov_t> iov;
  ucs_status_t post() {
    return uct_ep_am_zcopy(ep, id, header, header_length, iov.data(), iov.size(), 0, &in_flight->completion);
  }
  void take(const UctRequest &request) {
    header = request.data("buffer");
    header_length = static_cast<unsigned>(request.number("headerLength"));
    iov = request.iov(header_length);
  }
};

template <class T>
int32_t execute_paced(Operation *self, Context *context) {
  auto *call = static_cast<T *>(self);
  UctPacing *pacing = call->pacing.get();
  // Signed: a peer may acknowledge more than was sent with this pacing.
  while (static_cast<int64_t>(pacing->sent - pacing->acknowledged) >= pacing->window) {
    if (uct_turn(call->worker, context)) return kOperationCancelled;
  }
  const int32_t code = uct_post(call, context);
  if (__builtin_expect(code == 0, 1)) ++pacing->sent;
  return code;
}

template <class T>
Napi::Value bind(const UctRequest &request) {
  const auto prepare = [&](T &call) {
    call.id = static_cast<uint8_t>(request.number("id"));
    call.take(request);
    if (!request.has("pacing")) return;
    call.pacing = request.box<UctPacing>("pacing");
    call.uses.push_back(call.pacing);
  };
  if (request.has("pacing")) return uct_bind_call<T, execute_paced<T>>(request, T::kName, prepare);
  return uct_bind_call<T>(request, T::kName, prepare);
}

// uctBindAm(request)
Napi::Value bind_am(const Napi::CallbackInfo &info) {
  const UctRequest request(info);
  const std::string layout = request.layout();
  if (layout == "short") return bind<AmShort>(request);
  if (layout == "shortiov") return bind<AmShortIov>(request);
  if (layout == "zcopy") return bind<AmZcopy>(request);
  return request.flag("inPieces") ? bind<AmBcopyPieces>(request) : bind<AmBcopy>(request);
}

}  // namespace

void register_uct_am(Napi::Env env, Napi::Object exports) {
  exports.Set("uctBindAm", Napi::Function::New(env, bind_am));
}

}  // namespace fabricbench::ucx
