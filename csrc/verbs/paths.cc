#include "verbs/paths.hpp"

#include <arpa/inet.h>

#include <cerrno>
#include <cstring>

namespace fabricbench::verbs {

ibv_ah_attr path_attributes(const Napi::Object &path) {
  const auto number = [&](const char *name) { return path.Get(name).As<Napi::Number>().Uint32Value(); };
  ibv_ah_attr attributes = {};
  attributes.port_num = static_cast<uint8_t>(number("port"));
  attributes.dlid = static_cast<uint16_t>(number("lid"));
  attributes.sl = static_cast<uint8_t>(number("sl"));
  const Napi::Value gid = path.Get("gid");
  if (gid.IsUndefined()) return attributes;
  attributes.is_global = 1;
  memcpy(attributes.grh.dgid.raw, gid.As<Napi::Uint8Array>().Data(), sizeof attributes.grh.dgid.raw);
  attributes.grh.sgid_index = static_cast<uint8_t>(number("gidIndex"));
  attributes.grh.traffic_class = static_cast<uint8_t>(number("trafficClass"));
  attributes.grh.hop_limit = static_cast<uint8_t>(number("hopLimit"));
  attributes.grh.flow_label = number("flowLabel");
  return attributes;
}

std::string path_mend(const ibv_ah_attr &path, int code) {
  const std::string port = "port " + std::to_string(path.port_num);
  if (path.is_global == 0) {
    return "no way to LID " + std::to_string(path.dlid) + " from " + port + ": on Ethernet a GID is needed";
  }
  char text[INET6_ADDRSTRLEN];
  inet_ntop(AF_INET6, path.grh.dgid.raw, text, sizeof text);
  const std::string way =
      std::string("no way to GID ") + text + " from GID index " + std::to_string(path.grh.sgid_index) + " of " + port;
  if (code == EINVAL) return way + ": check that both sides' GIDs are of one kind and subnet, and the MTU";
  return way + ": check both sides' GID indexes, routes and the state of the link";
}

}  // namespace fabricbench::verbs
