// libmlx5 is looked for when DC is asked for: it must not be needed where the devices are others.
#include "verbs/dc.hpp"

#include <dlfcn.h>

#include <cerrno>

#include "verbs/objects.hpp"

#if __has_include(<infiniband/mlx5dv.h>)
#define FABRICBENCH_DC 1
#include <infiniband/mlx5dv.h>
#endif

namespace fabricbench::verbs {

#ifdef FABRICBENCH_DC
namespace {

struct Mlx5 {
  decltype(&mlx5dv_is_supported) is_supported = nullptr;
  decltype(&mlx5dv_create_qp) create_qp = nullptr;
  decltype(&mlx5dv_qp_ex_from_ibv_qp_ex) qp_ex = nullptr;

  Mlx5() {
    void *library = dlopen("libmlx5.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    is_supported = reinterpret_cast<decltype(is_supported)>(dlsym(library, "mlx5dv_is_supported"));
    create_qp = reinterpret_cast<decltype(create_qp)>(dlsym(library, "mlx5dv_create_qp"));
    qp_ex = reinterpret_cast<decltype(qp_ex)>(dlsym(library, "mlx5dv_qp_ex_from_ibv_qp_ex"));
  }
  bool has(ibv_device *device) const {
    return is_supported != nullptr && create_qp != nullptr && qp_ex != nullptr && is_supported(device);
  }
};

const Mlx5 &mlx5() {
  static const Mlx5 library;
  return library;
}

}  // namespace

ibv_qp *create_dc(ibv_context *context, const std::string &type, ibv_qp_init_attr_ex *attributes) {
  mlx5dv_qp_init_attr special = {};
  special.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  special.dc_init_attr.dc_type = type == "DCI" ? MLX5DV_DCTYPE_DCI : MLX5DV_DCTYPE_DCT;
  if (type == "DCT") special.dc_init_attr.dct_access_key = kDcKey;
  return mlx5().create_qp(context, attributes, &special);
}

void require_dc(Napi::Env env, ibv_context *context) {
  if (mlx5().has(context->device)) return;
  throw Napi::RangeError::New(env, std::string(ibv_get_device_name(context->device)) +
                                       " has no DC: that needs a device of mlx5 and the library libmlx5");
}

void *dci_of(ibv_qp_ex *qp) { return mlx5().qp_ex(qp); }

void set_dc_address(Qp &qp, ibv_ah *ah, uint32_t number, uint64_t key) {
  mlx5dv_wr_set_dc_addr(static_cast<mlx5dv_qp_ex *>(qp.dci), ah, number, key);
}

#else

ibv_qp *create_dc(ibv_context *, const std::string &, ibv_qp_init_attr_ex *) {
  errno = EOPNOTSUPP;
  return nullptr;
}

void require_dc(Napi::Env env, ibv_context *) {
  throw Napi::RangeError::New(env,
                              "DC was not there at build: install rdma-core's header infiniband/mlx5dv.h, then npm run "
                              "build");
}

void *dci_of(ibv_qp_ex *) { return nullptr; }

void set_dc_address(Qp &, ibv_ah *, uint32_t, uint64_t) {}

#endif

}  // namespace fabricbench::verbs
