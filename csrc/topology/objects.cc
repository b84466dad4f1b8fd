#include "topology/objects.hpp"

#include <cstdio>
#include <cstdlib>

namespace fabricbench::topology {
namespace {

std::string text_of(const char *text) { return text == nullptr ? "" : text; }

const char *type_of(hwloc_obj_type_t type) {
  if (hwloc_obj_type_is_cache(type)) return "cache";
  switch (type) {
    case HWLOC_OBJ_MACHINE:
      return "machine";
    case HWLOC_OBJ_PACKAGE:
      return "package";
    case HWLOC_OBJ_NUMANODE:
      return "numa";
    case HWLOC_OBJ_CORE:
      return "core";
    case HWLOC_OBJ_PU:
      return "pu";
    case HWLOC_OBJ_BRIDGE:
      return "bridge";
    case HWLOC_OBJ_PCI_DEVICE:
      return "pci";
    case HWLOC_OBJ_OS_DEVICE:
      return "os";
    default:
      return "other";
  }
}

const char *cache_kind(hwloc_obj_cache_type_t type) {
  if (type == HWLOC_OBJ_CACHE_DATA) return "data";
  return type == HWLOC_OBJ_CACHE_INSTRUCTION ? "instruction" : "unified";
}

const char *device_kind(hwloc_obj_osdev_type_t type) {
  switch (type) {
    case HWLOC_OBJ_OSDEV_BLOCK:
      return "block";
    case HWLOC_OBJ_OSDEV_GPU:
      return "gpu";
    case HWLOC_OBJ_OSDEV_NETWORK:
      return "network";
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
      return "openfabrics";
    case HWLOC_OBJ_OSDEV_DMA:
      return "dma";
    case HWLOC_OBJ_OSDEV_COPROC:
      return "coprocessor";
    default:
      return "other";
  }
}

std::string address_of(const hwloc_obj_attr_u::hwloc_pcidev_attr_s &pci) {
  char text[32];
  snprintf(text, sizeof text, "%04x:%02x:%02x.%01x", static_cast<unsigned>(pci.domain), pci.bus, pci.dev, pci.func);
  return text;
}

// hwloc keeps it in a float: its shortest decimals are what is meant, and those of a double are not.
double speed_of(float speed) {
  if (!(speed > 0)) return -1;
  char text[32];
  snprintf(text, sizeof text, "%.7g", static_cast<double>(speed));
  return strtod(text, nullptr);
}

void fill_bridge(const hwloc_obj_attr_u::hwloc_bridge_attr_s &bridge, Object *object) {
  const bool host = bridge.upstream_type != HWLOC_OBJ_BRIDGE_PCI;
  object->kind = host ? "host" : "pci";
  if (!host) {
    object->address = address_of(bridge.upstream.pci);
    return;
  }
  const auto &below = bridge.downstream.pci;
  char text[32];
  snprintf(text, sizeof text, "%04x:[%02x-%02x]", static_cast<unsigned>(below.domain), below.secondary_bus,
           below.subordinate_bus);
  object->address = text;
}

void fill_attributes(hwloc_obj_t from, Object *object) {
  if (from->attr == nullptr) return;
  if (hwloc_obj_type_is_cache(from->type)) {
    object->size = static_cast<double>(from->attr->cache.size);
    object->level = static_cast<int>(from->attr->cache.depth);
    object->kind = cache_kind(from->attr->cache.type);
  } else if (from->type == HWLOC_OBJ_NUMANODE) {
    object->size = static_cast<double>(from->attr->numanode.local_memory);
  } else if (from->type == HWLOC_OBJ_BRIDGE) {
    fill_bridge(from->attr->bridge, object);
  } else if (from->type == HWLOC_OBJ_PCI_DEVICE) {
    object->address = address_of(from->attr->pcidev);
    object->speed = speed_of(from->attr->pcidev.linkspeed);
    object->pci_class = from->attr->pcidev.class_id;
    object->vendor = from->attr->pcidev.vendor_id;
  } else if (from->type == HWLOC_OBJ_OS_DEVICE) {
    object->kind = device_kind(from->attr->osdev.type);
  }
}

Object object_of(hwloc_obj_t from, int parent) {
  Object object{};
  object.type = type_of(from->type);
  object.parent = parent;
  object.logical = from->logical_index;
  object.os = from->os_index == HWLOC_UNKNOWN_INDEX ? -1 : static_cast<double>(from->os_index);
  object.cpus = list_of(from->cpuset);
  object.name = text_of(from->name);
  object.subtype = text_of(from->subtype);
  object.infos = infos_of(from->infos, from->infos_count);
  fill_attributes(from, &object);
  return object;
}

void add(hwloc_obj_t from, int parent, std::vector<Object> *objects) {
  const int place = static_cast<int>(objects->size());
  objects->push_back(object_of(from, parent));
  for (hwloc_obj_t first : {from->memory_first_child, from->first_child, from->io_first_child})
    for (hwloc_obj_t child = first; child != nullptr; child = child->next_sibling) add(child, place, objects);
}

}  // namespace

std::string list_of(hwloc_const_bitmap_t set) {
  if (set == nullptr || hwloc_bitmap_weight(set) < 0) return "";
  char *text = nullptr;
  if (hwloc_bitmap_list_asprintf(&text, set) < 0) return "";
  std::string list = text;
  free(text);
  return list;
}

std::vector<std::pair<std::string, std::string>> infos_of(const hwloc_info_s *infos, unsigned count) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (unsigned index = 0; index < count; ++index)
    pairs.emplace_back(text_of(infos[index].name), text_of(infos[index].value));
  return pairs;
}

std::vector<Object> objects_of(hwloc_topology_t topology) {
  std::vector<Object> objects;
  add(hwloc_get_root_obj(topology), -1, &objects);
  return objects;
}

}  // namespace fabricbench::topology
