// Devices, their ports and GIDs, and what they tell of their own accord.
#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "verbs/objects.hpp"

namespace fabricbench::verbs {
namespace {

// The list of devices, freed when it goes. Empty where the kernel knows no RDMA at all.
struct DeviceList {
  int count = 0;
  ibv_device **devices;

  explicit DeviceList(Napi::Env env) : devices(ibv_get_device_list(&count)) {
    if (devices == nullptr && errno != ENOSYS && errno != ENOENT) throw_errno(env, "ibv_get_device_list", errno);
  }
  ~DeviceList() {
    if (devices != nullptr) ibv_free_device_list(devices);
  }
  DeviceList(const DeviceList &) = delete;

  ibv_device **begin() const { return devices; }
  ibv_device **end() const { return devices + count; }
};

const char *transport_name(ibv_transport_type type) {
  switch (type) {
    case IBV_TRANSPORT_IB:
      return "InfiniBand";
    case IBV_TRANSPORT_IWARP:
      return "iWARP";
    case IBV_TRANSPORT_USNIC:
    case IBV_TRANSPORT_USNIC_UDP:
      return "usNIC";
    case IBV_TRANSPORT_UNSPECIFIED:
      return "unspecified";
    default:
      return "unknown";
  }
}

// As ibv_devinfo writes it.
std::string guid_text(__be64 guid) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&guid);
  char text[20];
  snprintf(text, sizeof text, "%02x%02x:%02x%02x:%02x%02x:%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4],
           bytes[5], bytes[6], bytes[7]);
  return text;
}

Napi::Object device_info(Napi::Env env, ibv_device *device) {
  Napi::Object info = Napi::Object::New(env);
  info.Set("name", ibv_get_device_name(device));
  info.Set("guid", guid_text(ibv_get_device_guid(device)));
  info.Set("transport", transport_name(device->transport_type));
  return info;
}

// verbsDevices()
Napi::Value devices(const Napi::CallbackInfo &info) {
  const DeviceList list(info.Env());
  Napi::Array result = Napi::Array::New(info.Env());
  for (ibv_device *device : list) result.Set(result.Length(), device_info(info.Env(), device));
  return result;
}

// verbsOpen(name)
Napi::Value open(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const std::string name = info[0].As<Napi::String>();
  const DeviceList list(env);
  for (ibv_device *device : list) {
    if (name != ibv_get_device_name(device)) continue;
    auto context = std::make_shared<Context>();
    context->device = name;
    context->context = ibv_open_device(device);
    if (context->context == nullptr) throw_errno(env, "ibv_open_device", errno);
    return box(env, context);
  }
  throw Napi::Error::New(env, "the RDMA device " + name + " has gone");
}

// verbsClose(context)
void close(const Napi::CallbackInfo &info) {
  const auto context = unbox<Context>(info[0]);
  refuse_used(info.Env(), context->device.c_str(), "closed", context->children, 0);
  if (!context->borrowed) check(info.Env(), "ibv_close_device", ibv_close_device(context->context));
  context->closed = true;
}

// verbsDevice(context)
Napi::Value device(const Napi::CallbackInfo &info) {
  return device_info(info.Env(), unbox<Context>(info[0])->context->device);
}

const char *atomics_name(ibv_atomic_cap cap) {
  return cap == IBV_ATOMIC_NONE ? "NONE" : cap == IBV_ATOMIC_HCA ? "HCA" : "GLOB";
}

// verbsAttributes(context)
Napi::Value attributes(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto context = unbox<Context>(info[0]);
  ibv_device_attr_ex all = {};
  check(env, "ibv_query_device_ex", ibv_query_device_ex(context->context, nullptr, &all));
  const ibv_device_attr &device = all.orig_attr;
  Napi::Object result = Napi::Object::New(env);
  result.Set("firmware", std::string(device.fw_ver, strnlen(device.fw_ver, sizeof device.fw_ver)));
  result.Set("vendorId", device.vendor_id);
  result.Set("vendorPartId", device.vendor_part_id);
  result.Set("ports", device.phys_port_cnt);
  result.Set("maxQpWr", device.max_qp_wr);
  result.Set("maxSge", device.max_sge);
  result.Set("maxCqe", device.max_cqe);
  result.Set("maxSrqWr", device.max_srq_wr);
  result.Set("maxQpRdAtom", device.max_qp_rd_atom);
  result.Set("maxQpInitRdAtom", device.max_qp_init_rd_atom);
  result.Set("atomicCap", atomics_name(device.atomic_cap));
  result.Set("maxMrSize", Napi::BigInt::New(env, device.max_mr_size));
  result.Set("completionVectors", context->context->num_comp_vectors);
  result.Set("xrc", (device.device_cap_flags & IBV_DEVICE_XRC) != 0);
  result.Set("odp", (all.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0);
  return result;
}

const char *state_name(ibv_port_state state) {
  static constexpr const char *kNames[] = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
  return state <= IBV_PORT_ACTIVE_DEFER ? kNames[state] : "NOP";
}

const char *link_layer_name(uint8_t layer) {
  return layer == IBV_LINK_LAYER_INFINIBAND ? "InfiniBand"
         : layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet"
                                            : "unspecified";
}

// The architecture's codes of width and speed are bits, with lanes and Gb/s for each.
double of_code(const std::vector<std::pair<int, double>> &table, int code) {
  for (const auto &[bit, value] : table) {
    if (bit == code) return value;
  }
  return 0;
}
double lanes(int code) { return of_code({{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}}, code); }
double lane_speed(int code) {
  return of_code({{1, 2.5}, {2, 5}, {4, 10}, {8, 10}, {16, 14}, {32, 25}, {64, 50}, {128, 100}}, code);
}

double mtu_bytes(ibv_mtu mtu) { return 128 << mtu; }

// verbsPort(context, port)
Napi::Value port(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto context = unbox<Context>(info[0]);
  const auto number = static_cast<uint8_t>(info[1].As<Napi::Number>().Uint32Value());
  ibv_port_attr port = {};
  check(env, "ibv_query_port", ibv_query_port(context->context, number, &port));
  Napi::Object result = Napi::Object::New(env);
  result.Set("port", number);
  result.Set("state", state_name(port.state));
  result.Set("linkLayer", link_layer_name(port.link_layer));
  result.Set("maxMtu", mtu_bytes(port.max_mtu));
  result.Set("activeMtu", mtu_bytes(port.active_mtu));
  result.Set("maxMsgSz", port.max_msg_sz);
  result.Set("lid", port.lid);
  result.Set("smLid", port.sm_lid);
  result.Set("gidTableLength", port.gid_tbl_len);
  result.Set("activeWidth", lanes(port.active_width));
  result.Set("activeSpeed", lane_speed(port.active_speed));
  return result;
}

const char *gid_type_name(uint32_t type) {
  return type == IBV_GID_TYPE_ROCE_V2 ? "RoCE v2" : type == IBV_GID_TYPE_ROCE_V1 ? "RoCE v1" : "IB";
}

bool is_ipv4(const ibv_gid &gid) {
  static constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return memcmp(gid.raw, kMapped, sizeof kMapped) == 0;
}

// The interface that a GID belongs to; older kernels tell it in sysfs alone.
std::string netdev_of(const Context &context, const ibv_gid_entry &entry) {
  char name[IF_NAMESIZE] = "";
  if (entry.ndev_ifindex != 0 && if_indextoname(entry.ndev_ifindex, name) != nullptr) return name;
  std::ifstream file(std::string(context.context->device->ibdev_path) + "/ports/" + std::to_string(entry.port_num) +
                     "/gid_attrs/ndevs/" + std::to_string(entry.gid_index));
  std::string line;
  std::getline(file, line);
  return line;
}

Napi::Object gid_object(Napi::Env env, const Context &context, const ibv_gid_entry &entry) {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, entry.gid.raw, text, sizeof text);
  Napi::Uint8Array bytes = Napi::Uint8Array::New(env, sizeof entry.gid.raw);
  memcpy(bytes.Data(), entry.gid.raw, sizeof entry.gid.raw);
  const std::string netdev = netdev_of(context, entry);
  Napi::Object result = Napi::Object::New(env);
  result.Set("index", entry.gid_index);
  result.Set("gid", bytes);
  result.Set("text", text);
  result.Set("type", gid_type_name(entry.gid_type));
  result.Set("ipv4", is_ipv4(entry.gid));
  result.Set("netdev", netdev.empty() ? env.Null() : Napi::Value(Napi::String::New(env, netdev)));
  return result;
}

// verbsGids(context, port): the table holds those of all ports
Napi::Value gids(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto context = unbox<Context>(info[0]);
  const uint32_t wanted = info[1].As<Napi::Number>().Uint32Value();
  size_t length = 0;
  ibv_device_attr device = {};
  check(env, "ibv_query_device", ibv_query_device(context->context, &device));
  for (uint8_t number = 1; number <= device.phys_port_cnt; ++number) {
    ibv_port_attr port = {};
    check(env, "ibv_query_port", ibv_query_port(context->context, number, &port));
    length += static_cast<size_t>(port.gid_tbl_len);
  }
  std::vector<ibv_gid_entry> entries(length);
  const ssize_t count = ibv_query_gid_table(context->context, entries.data(), entries.size(), 0);
  if (count < 0) throw_errno(env, "ibv_query_gid_table", static_cast<int>(-count));
  Napi::Array result = Napi::Array::New(env);
  for (ssize_t i = 0; i < count; ++i) {
    if (entries[i].port_num == wanted) result.Set(result.Length(), gid_object(env, *context, entries[i]));
  }
  return result;
}

std::string event_text(const ibv_async_event &event) {
  const std::string text = ibv_event_type_str(event.event_type);
  switch (event.event_type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      return text + " (queue pair " + std::to_string(event.element.qp->qp_num) + ")";
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_GID_CHANGE:
      return text + " (port " + std::to_string(event.element.port_num) + ")";
    default:
      return text;
  }
}

// verbsAsyncEvents(context)
Napi::Value async_events(const Napi::CallbackInfo &info) {
  const auto context = unbox<Context>(info[0]);
  Napi::Array result = Napi::Array::New(info.Env());
  pollfd ready = {context->context->async_fd, POLLIN, 0};
  while (poll(&ready, 1, 0) == 1) {
    ibv_async_event event;
    if (ibv_get_async_event(context->context, &event) != 0) break;
    result.Set(result.Length(), event_text(event));
    ibv_ack_async_event(&event);
  }
  return result;
}

}  // namespace

void register_devices(Napi::Env env, Napi::Object exports) {
  exports.Set("verbsDevices", Napi::Function::New(env, devices));
  exports.Set("verbsOpen", Napi::Function::New(env, open));
  exports.Set("verbsClose", Napi::Function::New(env, close));
  exports.Set("verbsDevice", Napi::Function::New(env, device));
  exports.Set("verbsAttributes", Napi::Function::New(env, attributes));
  exports.Set("verbsPort", Napi::Function::New(env, port));
  exports.Set("verbsGids", Napi::Function::New(env, gids));
  exports.Set("verbsAsyncEvents", Napi::Function::New(env, async_events));
}

}  // namespace fabricbench::verbs
