// Which transports there are, and how an interface on one is opened and closed.
#include <cstdio>
#include <cstring>
#include <functional>

#include "ucx/uct_objects.hpp"

namespace fabricbench::ucx {
namespace {

struct Place {
  uct_component_h component;
  std::string component_name;
  std::string md;
};

// Names of the memory domains of a component; none where it can't say.
std::vector<std::string> domains_of(uct_component_h component, std::string *name) {
  uct_component_attr_t attributes = {};
  attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_NAME | UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT;
  if (uct_component_query(component, &attributes) != UCS_OK) return {};
  *name = attributes.name;
  std::vector<uct_md_resource_desc_t> found(attributes.md_resource_count);
  attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
  attributes.md_resources = found.data();
  if (found.empty() || uct_component_query(component, &attributes) != UCS_OK) return {};
  std::vector<std::string> names;
  for (const auto &each : found) names.emplace_back(each.md_name);
  return names;
}

std::vector<Place> all_places(Napi::Env env) {
  uct_component_h *components = nullptr;
  unsigned count = 0;
  uct_check(env, "uct_query_components", uct_query_components(&components, &count));
  std::vector<Place> places;
  for (unsigned i = 0; i < count; ++i) {
    std::string name;
    for (auto &md : domains_of(components[i], &name)) places.push_back({components[i], name, std::move(md)});
  }
  uct_release_component_list(components);
  return places;
}

const char *type_name(uct_device_type_t type) {
  switch (type) {
    case UCT_DEVICE_TYPE_NET:
      return "network";
    case UCT_DEVICE_TYPE_SHM:
      return "shared-memory";
    case UCT_DEVICE_TYPE_SELF:
      return "self";
    default:
      return "acceleration";
  }
}

using Settings = std::vector<std::pair<std::string, std::string>>;

// What UCX puts before the names of settings that several transports have.
constexpr const char *kShared[] = {"", "MM_", "SM_", "RC_", "UD_", "DC_", "IB_"};

// Whether a configuration has a setting of that name; it then has the new value. Users know settings by the names that
// they have in the environment, POSIX_FIFO_SIZE, where UCX here wants MM_FIFO_SIZE. Throws for a value that it doesn't
// take.
bool modify(Napi::Env env, void *config, const std::string &name, const std::string &value) {
  std::vector<std::string> names = {name};
  const size_t prefix = name.find('_');
  if (prefix != std::string::npos) names.push_back(name.substr(prefix + 1));
  for (const std::string &each : names) {
    for (const char *shared : kShared) {
      const ucs_status_t status = uct_config_modify(config, (shared + each).c_str(), value.c_str());
      if (status == UCS_ERR_NO_ELEM) continue;
      uct_check(env, "uct_config_modify", status);
      return true;
    }
  }
  return false;
}

// A configuration of UCX's, released at the end.
template <class T>
struct Config {
  T *value = nullptr;
  ~Config() {
    if (value != nullptr) uct_config_release(value);
  }
};

std::string text(const Napi::Value &value) { return value.As<Napi::String>().Utf8Value(); }

Settings settings_of(const Napi::Value &value) {
  Settings settings;
  const auto list = value.As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const auto pair = Napi::Value(list[i]).As<Napi::Array>();
    settings.emplace_back(text(pair[0u]), text(pair[1u]));
  }
  return settings;
}

// Settings that the configuration doesn't have.
Settings apply(Napi::Env env, void *config, const Settings &settings) {
  Settings left;
  for (const auto &each : settings) {
    if (!modify(env, config, each.first, each.second)) left.push_back(each);
  }
  return left;
}

void close_all(UctIface &iface) {
  if (iface.iface != nullptr) uct_iface_close(iface.iface);
  if (iface.md != nullptr) uct_md_close(iface.md);
  if (iface.worker != nullptr) uct_worker_destroy(iface.worker);
  if (iface.async != nullptr) ucs_async_context_destroy(iface.async);
}

void find_component(Napi::Env env, UctIface &iface, const std::string &component, const std::string &md) {
  for (const auto &place : all_places(env)) {
    if (place.component_name == component && place.md == md) iface.component = place.component;
  }
  if (iface.component != nullptr) return;
  throw Napi::RangeError::New(
      env, "UCT has no memory domain " + md + " of a component " + component + " here: take one of resources()");
}

void require_transport(Napi::Env env, const UctIface &iface, const std::string &transport, const std::string &device) {
  uct_tl_resource_desc_t *resources = nullptr;
  unsigned count = 0;
  uct_check(env, "uct_md_query_tl_resources", uct_md_query_tl_resources(iface.md, &resources, &count));
  bool found = false;
  for (unsigned i = 0; i < count; ++i) {
    found = found || (transport == resources[i].tl_name && device == resources[i].dev_name);
  }
  uct_release_tl_resource_list(resources);
  if (found) return;
  throw Napi::RangeError::New(env, "UCT has no " + iface.name + " here: take one of resources()");
}

void open_iface(Napi::Env env, UctIface &iface, const uct_iface_config_t *config, const std::string &transport,
                const std::string &device) {
  uct_iface_params_t parameters = {};
  parameters.field_mask = UCT_IFACE_PARAM_FIELD_OPEN_MODE | UCT_IFACE_PARAM_FIELD_DEVICE |
                          UCT_IFACE_PARAM_FIELD_RX_HEADROOM | UCT_IFACE_PARAM_FIELD_CPU_MASK;
  parameters.open_mode = UCT_IFACE_OPEN_MODE_DEVICE;
  parameters.mode.device.tl_name = transport.c_str();
  parameters.mode.device.dev_name = device.c_str();
  uct_check(env, "uct_iface_open", uct_iface_open(iface.md, iface.worker, &parameters, config, &iface.iface));
  uct_check(env, "uct_iface_query", uct_iface_query(iface.iface, &iface.attributes));
  uct_iface_progress_enable(iface.iface, UCT_PROGRESS_SEND | UCT_PROGRESS_RECV);
}

// Opens the memory domain, and gives the settings that are not its own.
Settings open_domain(Napi::Env env, UctIface &iface, const std::string &md, const Settings &settings) {
  Config<uct_md_config_t> config;
  uct_check(env, "uct_md_config_read", uct_md_config_read(iface.component, nullptr, nullptr, &config.value));
  const Settings left = apply(env, config.value, settings);
  uct_check(env, "uct_md_open", uct_md_open(iface.component, md.c_str(), config.value, &iface.md));
  uct_check(env, "uct_md_query", uct_md_query(iface.md, &iface.md_attributes));
  return left;
}

// uctOpen(component, md, transport, device, asyncMode, [[name, value], ...])
Napi::Value open(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const std::string md = text(info[1]), transport = text(info[2]), device = text(info[3]);
  static constexpr ucs_async_mode_t kModes[] = {UCS_ASYNC_MODE_THREAD_SPINLOCK, UCS_ASYNC_MODE_THREAD_MUTEX,
                                                UCS_ASYNC_MODE_SIGNAL, UCS_ASYNC_MODE_POLL};
  const ucs_async_mode_t mode = kModes[info[4].As<Napi::Number>().Uint32Value()];
  auto iface = std::make_shared<UctIface>();
  iface->name = transport + "/" + device;
  try {
    find_component(env, *iface, text(info[0]), md);
    uct_check(env, "ucs_async_context_create", ucs_async_context_create(mode, &iface->async));
    uct_check(env, "uct_worker_create", uct_worker_create(iface->async, UCS_THREAD_MODE_SINGLE, &iface->worker));
    const Settings settings = open_domain(env, *iface, md, settings_of(info[5]));
    require_transport(env, *iface, transport, device);
    Config<uct_iface_config_t> config;
    uct_check(env, "uct_md_iface_config_read",
              uct_md_iface_config_read(iface->md, transport.c_str(), nullptr, nullptr, &config.value));
    for (const auto &unknown : apply(env, config.value, settings)) {
      throw Napi::RangeError::New(
          env, iface->name + " has no setting " + unknown.first + ": ucx_info -c -f lists those that there are");
    }
    open_iface(env, *iface, config.value, transport, device);
  } catch (...) {
    close_all(*iface);
    throw;
  }
  return uct_box(env, iface);
}

// uctClose(iface)
void close(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto iface = uct_unbox<UctIface>(info[0]);
  if (iface->closed) return;
  if (iface->children != 0) {
    throw Napi::Error::New(env, iface->name + " can't be closed: " + std::to_string(iface->children) +
                                    " of its endpoints, keys, memory and handlers are open; close those first");
  }
  uct_require_unused(env, iface.get(), iface->name, "closed");
  iface->closed = true;
  close_all(*iface);
}

void list_domain(Napi::Env env, const Place &place, Napi::Array list) {
  Config<uct_md_config_t> config;
  uct_md_h md = nullptr;
  if (uct_md_config_read(place.component, nullptr, nullptr, &config.value) != UCS_OK) return;
  if (uct_md_open(place.component, place.md.c_str(), config.value, &md) != UCS_OK) return;
  uct_tl_resource_desc_t *resources = nullptr;
  unsigned count = 0;
  if (uct_md_query_tl_resources(md, &resources, &count) == UCS_OK) {
    for (unsigned i = 0; i < count; ++i) {
      Napi::Object each = Napi::Object::New(env);
      each.Set("component", place.component_name);
      each.Set("md", place.md);
      each.Set("transport", resources[i].tl_name);
      each.Set("device", resources[i].dev_name);
      each.Set("type", type_name(resources[i].dev_type));
      list[list.Length()] = each;
    }
    uct_release_tl_resource_list(resources);
  }
  uct_md_close(md);
}

// uctResources()
Napi::Value resources(const Napi::CallbackInfo &info) {
  Napi::Array list = Napi::Array::New(info.Env());
  for (const auto &place : all_places(info.Env())) list_domain(info.Env(), place, list);
  return list;
}

}  // namespace

void register_uct_resources(Napi::Env env, Napi::Object exports) {
  exports.Set("uctResources", Napi::Function::New(env, resources));
  exports.Set("uctOpen", Napi::Function::New(env, open));
  exports.Set("uctClose", Napi::Function::New(env, close));
}

}  // namespace fabricbench::ucx
