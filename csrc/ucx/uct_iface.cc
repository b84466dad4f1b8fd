// An interface's addresses, endpoints and remote keys.
#include <cstring>

#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {
namespace {

// A copy of bytes that UCX will read: it reads as many as an address of its own has, whatever a peer has sent.
std::vector<uint8_t> padded(const Napi::Value &value, size_t least) {
  const auto bytes = value.As<Napi::Uint8Array>();
  std::vector<uint8_t> copy(bytes.Data(), bytes.Data() + bytes.ByteLength());
  if (copy.size() < least) copy.resize(least);
  return copy;
}
constexpr size_t kLongestAddress = 512;

struct Addresses {
  std::vector<uint8_t> device, other;
  explicit Addresses(const Napi::CallbackInfo &info)
      : device(padded(info[1], kLongestAddress)), other(padded(info[2], kLongestAddress)) {}
  const uct_device_addr_t *of_device() const { return reinterpret_cast<const uct_device_addr_t *>(device.data()); }
  const uct_iface_addr_t *of_iface() const { return reinterpret_cast<const uct_iface_addr_t *>(other.data()); }
  const uct_ep_addr_t *of_ep() const { return reinterpret_cast<const uct_ep_addr_t *>(other.data()); }
};

// The address that `get` writes into `length` bytes.
template <class Get>
Napi::Value address(Napi::Env env, const char *call, size_t length, Get get) {
  Napi::Uint8Array bytes = Napi::Uint8Array::New(env, length);
  std::vector<uint8_t> written(length + 1);  // UCX wants a place even for no bytes
  uct_check(env, call, get(written.data()));
  memcpy(bytes.Data(), written.data(), length);
  return bytes;
}

// uctDeviceAddress(iface)
Napi::Value device_address(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  return address(info.Env(), "uct_iface_get_device_address", iface->attributes.device_addr_len, [&](void *to) {
    return uct_iface_get_device_address(iface->iface, static_cast<uct_device_addr_t *>(to));
  });
}

// uctIfaceAddress(iface)
Napi::Value iface_address(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  return address(info.Env(), "uct_iface_get_address", iface->attributes.iface_addr_len,
                 [&](void *to) { return uct_iface_get_address(iface->iface, static_cast<uct_iface_addr_t *>(to)); });
}

// uctEpAddress(ep)
Napi::Value ep_address(const Napi::CallbackInfo &info) {
  const auto ep = uct_unbox<UctEp>(info[0]);
  return address(info.Env(), "uct_ep_get_address", ep->iface->attributes.ep_addr_len,
                 [&](void *to) { return uct_ep_get_address(ep->ep, static_cast<uct_ep_addr_t *>(to)); });
}

// uctIsReachable(iface, deviceAddress, ifaceAddress)
Napi::Value is_reachable(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  const Addresses to(info);
  return Napi::Boolean::New(info.Env(), uct_iface_is_reachable(iface->iface, to.of_device(), to.of_iface()) != 0);
}

Napi::Value create_ep(Napi::Env env, const std::shared_ptr<UctIface> &iface, uct_ep_params_t &parameters) {
  auto ep = std::make_shared<UctEp>();
  parameters.field_mask |= UCT_EP_PARAM_FIELD_IFACE;
  parameters.iface = iface->iface;
  uct_check(env, "uct_ep_create", uct_ep_create(&parameters, &ep->ep));
  uct_opened(*ep, iface);
  return uct_box(env, ep);
}

// uctConnect(iface, deviceAddress, ifaceAddress)
Napi::Value connect(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  const Addresses to(info);
  if (uct_iface_is_reachable(iface->iface, to.of_device(), to.of_iface()) == 0) {
    uct_check(info.Env(), "uct_ep_create", UCS_ERR_UNREACHABLE);
  }
  uct_ep_params_t parameters = {};
  parameters.field_mask = UCT_EP_PARAM_FIELD_DEV_ADDR | UCT_EP_PARAM_FIELD_IFACE_ADDR;
  parameters.dev_addr = to.of_device();
  parameters.iface_addr = to.of_iface();
  return create_ep(info.Env(), iface, parameters);
}

// uctEpCreate(iface)
Napi::Value ep_create(const Napi::CallbackInfo &info) {
  uct_ep_params_t parameters = {};
  return create_ep(info.Env(), uct_unbox<UctIface>(info[0]), parameters);
}

// uctConnectToEp(ep, deviceAddress, epAddress)
void connect_to_ep(const Napi::CallbackInfo &info) {
  const auto ep = uct_unbox<UctEp>(info[0]);
  const Addresses to(info);
  uct_check(info.Env(), "uct_ep_connect_to_ep", uct_ep_connect_to_ep(ep->ep, to.of_device(), to.of_ep()));
}

// uctEpDestroy(ep)
void ep_destroy(const Napi::CallbackInfo &info) {
  const auto ep = uct_unbox<UctEp>(info[0]);
  if (ep->closed) return;
  uct_require_unused(info.Env(), ep.get(), UctEp::kWhat, "destroyed");
  if (ep->channels != 0) throw Napi::Error::New(info.Env(), "the endpoint can't be destroyed: close its channel first");
  uct_ep_destroy(ep->ep);
  uct_closed(*ep);
}

// uctRkeyUnpack(iface, packed)
Napi::Value rkey_unpack(const Napi::CallbackInfo &info) {
  const auto iface = uct_unbox<UctIface>(info[0]);
  const auto packed = padded(info[1], iface->md_attributes.rkey_packed_size + 1);
  auto rkey = std::make_shared<UctRkey>();
  uct_check(info.Env(), "uct_rkey_unpack", uct_rkey_unpack(iface->component, packed.data(), &rkey->bundle));
  uct_opened(*rkey, iface);
  return uct_box(info.Env(), rkey);
}

// uctRkeyRelease(rkey)
void rkey_release(const Napi::CallbackInfo &info) {
  const auto rkey = uct_unbox<UctRkey>(info[0]);
  if (rkey->closed) return;
  uct_require_unused(info.Env(), rkey.get(), UctRkey::kWhat, "released");
  const ucs_status_t status = uct_rkey_release(rkey->iface->component, &rkey->bundle);
  uct_closed(*rkey);
  uct_check(info.Env(), "uct_rkey_release", status);
}

// uctProgress(iface)
Napi::Value progress(const Napi::CallbackInfo &info) {
  return Napi::Number::New(info.Env(), uct_worker_progress(uct_unbox<UctIface>(info[0])->worker));
}

}  // namespace

void register_uct_iface(Napi::Env env, Napi::Object exports) {
  exports.Set("uctDeviceAddress", Napi::Function::New(env, device_address));
  exports.Set("uctIfaceAddress", Napi::Function::New(env, iface_address));
  exports.Set("uctIsReachable", Napi::Function::New(env, is_reachable));
  exports.Set("uctConnect", Napi::Function::New(env, connect));
  exports.Set("uctEpCreate", Napi::Function::New(env, ep_create));
  exports.Set("uctEpAddress", Napi::Function::New(env, ep_address));
  exports.Set("uctConnectToEp", Napi::Function::New(env, connect_to_ep));
  exports.Set("uctEpDestroy", Napi::Function::New(env, ep_destroy));
  exports.Set("uctRkeyUnpack", Napi::Function::New(env, rkey_unpack));
  exports.Set("uctRkeyRelease", Napi::Function::New(env, rkey_release));
  exports.Set("uctProgress", Napi::Function::New(env, progress));
}

}  // namespace fabricbench::ucx
