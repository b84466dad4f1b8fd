// Preloaded into the peer by benches: writes to the memory that it takes for its messages. It never does so itself, so
// that all of a large message is read from one page of zeros, the kernel's, which is always in the cache.
#include <dlfcn.h>
#include <ucp/api/ucp.h>
#include <uct/api/uct.h>

#include <cstring>

namespace {

template <class Function>
Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) ucs_status_t uct_iface_mem_alloc(uct_iface_h iface, size_t length,
                                                                                   unsigned flags, const char *name,
                                                                                   uct_allocated_memory_t *memory) {
  static auto *const real = next<decltype(uct_iface_mem_alloc)>("uct_iface_mem_alloc");
  const ucs_status_t status = real(iface, length, flags, name, memory);
  if (status == UCS_OK) memset(memory->address, 0, memory->length);
  return status;
}

extern "C" __attribute__((visibility("default"))) ucs_status_t ucp_mem_map(ucp_context_h context,
                                                                           const ucp_mem_map_params_t *params,
                                                                           ucp_mem_h *memory) {
  static auto *const real = next<decltype(ucp_mem_map)>("ucp_mem_map");
  const ucs_status_t status = real(context, params, memory);
  const bool is_given = (params->field_mask & UCP_MEM_MAP_PARAM_FIELD_FLAGS) == 0 ||
                        (params->flags & UCP_MEM_MAP_ALLOCATE) == 0;  // the caller's own memory
  if (status != UCS_OK || is_given) return status;
  ucp_mem_attr_t attributes = {};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH;
  if (ucp_mem_query(*memory, &attributes) == UCS_OK) memset(attributes.address, 0, attributes.length);
  return status;
}
