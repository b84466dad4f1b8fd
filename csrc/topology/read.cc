#include "topology/read.hpp"

#include <dlfcn.h>
#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#include "topology/objects.hpp"
#include "topology/permitted.hpp"

namespace fabricbench::topology {
namespace {

constexpr unsigned kMostProcessors = 65536;

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

// hwloc tells people about firmware's mistakes, and each rank would. Who wants to read it sets the variable to 0.
void keep_quiet() { setenv("HWLOC_HIDE_ERRORS", "2", 0); }

Failure failed(const char *step) { return {step, errno}; }

void set_filters(hwloc_topology_t topology, Devices devices) {
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (devices == Devices::kNone) return;
  // All bridges, or the path of a device would have gaps; all OS devices, since software ones such as rxe0 have no PCI.
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_BRIDGE, HWLOC_OBJ_PCI_DEVICE, HWLOC_OBJ_OS_DEVICE})
    hwloc_topology_set_type_filter(topology, type, HWLOC_TYPE_FILTER_KEEP_ALL);
}

// hwloc's own plugins refuse to be loaded where its symbols are an addon's alone.
void share_symbols() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void *>(&hwloc_topology_init), &library) != 0)
    dlopen(library.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
}

bool has_ucx() {
  void *const library = dlopen("libucm.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

// Keeps hwloc's plugins beside UCX: they are else loaded and unloaded with every topology, and UCX 1.13, once it has
// its hooks in, takes a library for the one that stood at its place before, and crashes.
void keep_plugins() {
  static hwloc_topology_t keeper = nullptr;
  if (keeper == nullptr && has_ucx() && hwloc_topology_init(&keeper) != 0) keeper = nullptr;
}

// Components that this hwloc does not have are no error. Without "pci", which reads the names of all PCI devices that
// there are in the world and leaves 700 KB behind, hwloc asks Linux.
void leave_out(hwloc_topology_t topology, std::initializer_list<const char *> components) {
  for (const char *name : components)
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, name);
}

Failure set_source(hwloc_topology_t topology, const Request &request) {
  if (request.xml) {
    // Its length counts the 0 at its end.
    const int length = static_cast<int>(request.xml->size() + 1);
    if (hwloc_topology_set_xmlbuffer(topology, request.xml->c_str(), length) != 0) return failed("source");
  } else if (request.synthetic) {
    if (hwloc_topology_set_synthetic(topology, request.synthetic->c_str()) != 0) return failed("source");
  }
  return {};
}

// A file may hold any number, and sets of processors are as long as their highest.
bool has_sane_numbers(hwloc_topology_t topology) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PU, HWLOC_OBJ_NUMANODE}) {
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr)
      if (object->os_index >= kMostProcessors) return false;
  }
  return true;
}

Failure load(hwloc_topology_t topology, const Request &request) {
  set_filters(topology, request.devices);
  leave_out(topology, {"opencl", "gl"});
  if (request.devices != Devices::kAll) leave_out(topology, {"cuda", "nvml", "rsmi", "levelzero", "pci"});
  const unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_THISSYSTEM_ALLOWED_RESOURCES;
  hwloc_topology_set_flags(topology, flags);
  const Failure failure = set_source(topology, request);
  if (failure.step != nullptr) return failure;
  if (hwloc_topology_load(topology) != 0) return failed(request.of_machine() ? "load" : "source");
  if (!has_sane_numbers(topology)) return {"source", ERANGE};
  return {};
}

std::string allowed_cpus(hwloc_topology_t topology) {
  const Bitmap set(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)), hwloc_bitmap_free);
  if (hwloc_topology_is_thissystem(topology) != 0) keep_permitted(set.get());
  return list_of(set.get());
}

std::string offline_cpus(hwloc_topology_t topology) {
  const Bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  hwloc_bitmap_andnot(set.get(), hwloc_topology_get_complete_cpuset(topology),
                      hwloc_topology_get_topology_cpuset(topology));
  return list_of(set.get());
}

Matrix matrix_of(const hwloc_distances_s &distances) {
  Matrix matrix;
  for (unsigned index = 0; index < distances.nbobjs; ++index) matrix.nodes.push_back(distances.objs[index]->os_index);
  const size_t values = static_cast<size_t>(distances.nbobjs) * distances.nbobjs;
  for (size_t index = 0; index < values; ++index) matrix.values.push_back(static_cast<double>(distances.values[index]));
  return matrix;
}

// Nodes' latencies to each other. A file may hold other matrices too, such as those of links between GPUs.
std::optional<Matrix> latencies(hwloc_topology_t topology) {
  unsigned count = 1;
  hwloc_distances_s *distances = nullptr;
  const int code = hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances,
                                               HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  if (code != 0 || count == 0 || distances == nullptr) return std::nullopt;
  Matrix matrix = matrix_of(*distances);
  hwloc_distances_release(topology, distances);
  return matrix;
}

std::vector<Kind> kinds_of(hwloc_topology_t topology) {
  std::vector<Kind> kinds;
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  const Bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  for (int index = 0; index < count; ++index) {
    Kind kind{};
    unsigned length = 0;
    hwloc_info_s *infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, index, set.get(), &kind.efficiency, &length, &infos, 0) != 0) continue;
    kind.cpus = list_of(set.get());
    kind.infos = infos_of(infos, length);
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace

Failure read(const Request &request, Topology *topology) {
  keep_quiet();
  if (request.of_machine() && request.devices == Devices::kAll) share_symbols();
  keep_plugins();
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return failed("library");
  const Handle handle(raw);
  const Failure failure = load(raw, request);
  if (failure.step != nullptr) return failure;
  topology->objects = objects_of(raw);
  topology->allowed = allowed_cpus(raw);
  topology->offline = offline_cpus(raw);
  topology->this_system = hwloc_topology_is_thissystem(raw) != 0;
  topology->latencies = latencies(raw);
  topology->kinds = kinds_of(raw);
  return {};
}

}  // namespace fabricbench::topology
