// Identifiers of librdmacm: resolving, listening, connecting, leaving.
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>

#include <cstring>

#include "verbs/cm.hpp"

namespace fabricbench::verbs {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string host_and_port(const std::string &host, uint16_t port) { return host + " port " + std::to_string(port); }

std::string seconds_text(double seconds) {
  char text[32];
  snprintf(text, sizeof text, "%g", seconds);
  return text;
}

// Of an empty host: any address, for listeners.
Addresses look_up(const std::string &host, uint16_t port, bool ipv6) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_family = ipv6 ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (host.empty() ? AI_PASSIVE : 0);
  const int code = getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code == 0) return Addresses(list, freeaddrinfo);
  throw CmFailure{"unknown-host", std::string("no ") + (ipv6 ? "IPv6" : "IPv4") + " address is known for the host " +
                                      host + " (" + (code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code)) +
                                      "): check its name"};
}

rdma_cm_id *make_id(CmChannel &channel, bool ud) {
  rdma_cm_id *id = nullptr;
  if (rdma_create_id(channel.get(), &id, nullptr, ud ? RDMA_PS_UDP : RDMA_PS_TCP) == 0) return id;
  throw explain_errno("rdma_create_id", errno, "this host");
}

void set_option(rdma_cm_id *id, int name, int value, const char *what) {
  auto byte = static_cast<uint8_t>(value);
  if (value < 0 || rdma_set_option(id, RDMA_OPTION_ID, name, &byte, sizeof byte) == 0) return;
  throw CmFailure{"other", std::string("rdma_cm can't set the ") + what + " to " + std::to_string(value) + ": " +
                               strerror(errno) + ", this kernel may be too old for it"};
}

rdma_conn_param raw_parameters(const CmParameters &parameters, const std::string &private_data, const rdma_cm_id *id) {
  rdma_conn_param raw = {};
  raw.private_data = private_data.data();
  raw.private_data_len = static_cast<uint8_t>(private_data.size());
  raw.responder_resources = parameters.responder_resources;
  raw.initiator_depth = parameters.initiator_depth;
  raw.retry_count = parameters.retry_count;
  raw.rnr_retry_count = parameters.rnr_retry;
  raw.qp_num = id->qp == nullptr ? 0 : id->qp->qp_num;
  return raw;
}

// The way to who has asked, of datagrams: nothing but the addresses says it.
ibv_ah_attr way_back(rdma_cm_id *id) {
  ibv_ah_attr path = {};
  path.port_num = id->port_num;
  if (id->route.num_paths > 0) {
    path.dlid = be16toh(id->route.path_rec->dlid);
    path.sl = id->route.path_rec->sl;
  }
  const rdma_ib_addr &address = id->route.addr.addr.ibaddr;
  path.is_global = 1;
  path.grh.dgid = address.dgid;
  path.grh.hop_limit = 64;
  ibv_port_attr port = {};
  ibv_query_port(id->verbs, id->port_num, &port);
  for (int i = 0; i < port.gid_tbl_len; ++i) {
    ibv_gid_entry entry = {};
    if (ibv_query_gid_ex(id->verbs, id->port_num, static_cast<uint32_t>(i), &entry, 0) != 0) continue;
    if (memcmp(&entry.gid, &address.sgid, sizeof entry.gid) != 0) continue;
    path.grh.sgid_index = static_cast<uint8_t>(i);
    if (entry.gid_type != IBV_GID_TYPE_ROCE_V1) break;  // librdmacm itself takes v2
  }
  return path;
}

}  // namespace

Cm::Cm(const CmAddress &address, double seconds) : address_(address) {
  const Addresses target = look_up(address.host, address.port, address.ipv6);
  const Addresses source =
      address.source.empty() ? Addresses(nullptr, freeaddrinfo) : look_up(address.source, 0, address.ipv6);
  id_ = make_id(channel_, address.ud);
  try {
    options();
    const int ms = seconds < 0 || seconds > 1e6 ? 1000000000 : static_cast<int>(seconds * 1000) + 1;
    CmEvent event;
    if (rdma_resolve_addr(id_, source ? source->ai_addr : nullptr, target->ai_addr, ms) != 0) {
      throw explain_errno("rdma_resolve_addr", errno, source ? "the source " + address.source : place());
    }
    expect(RDMA_CM_EVENT_ADDR_RESOLVED, "its address", seconds, &event);
    if (rdma_resolve_route(id_, ms) != 0) throw explain_errno("rdma_resolve_route", errno, place());
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED, "the route there", seconds, &event);
  } catch (...) {
    rdma_destroy_id(id_);
    throw;
  }
}

Cm::Cm(rdma_cm_id *id, const CmAddress &address, std::string private_data)
    : address_(address), id_(id), private_data_(std::move(private_data)) {
  if (rdma_migrate_id(id_, channel_.get()) != 0) {
    const int code = errno;
    rdma_destroy_id(id_);
    throw explain_errno("rdma_migrate_id", code, peer());
  }
  address_.host = peer();
  if (!address.ud) return;
  uint32_t number = 0;
  if (private_data_.size() >= sizeof number) memcpy(&number, private_data_.data(), sizeof number);
  private_data_.erase(0, sizeof number);
  remote_qpn_ = be32toh(number);
  remote_qkey_ = RDMA_UDP_QKEY;
  path_ = way_back(id_);
}

Cm::~Cm() { close(); }

void Cm::close() {
  if (id_ != nullptr) rdma_destroy_id(id_);
  id_ = nullptr;
}

void Cm::options() {
  set_option(id_, RDMA_OPTION_ID_TOS, address_.tos, "type of service");
  if (!address_.ud) set_option(id_, RDMA_OPTION_ID_ACK_TIMEOUT, address_.ack_timeout, "ACK timeout");
}

std::string Cm::peer() const {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  const sockaddr *address = rdma_get_peer_addr(id_);
  const bool ipv6 = address->sa_family == AF_INET6;
  const socklen_t length = ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (getnameinfo(address, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "an unknown peer";
  }
  return (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

// As the user named it; of a server its client's address.
std::string Cm::place() const {
  return address_.port == 0 ? address_.host : host_and_port(address_.host, address_.port);
}

void Cm::expect(rdma_cm_event_type wanted, const char *what, double seconds, CmEvent *event) {
  if (!channel_.wait(event, address_.ud, seconds)) {
    throw CmFailure{"timeout", place() + ": rdma_cm has not found " + what + " within " + seconds_text(seconds) + " s"};
  }
  if (event->type != wanted) throw explain_event(*event, place(), address_.ud);
}

void Cm::connect(const CmParameters &parameters, double seconds) {
  std::string data = parameters.private_data;
  if (address_.ud) {
    const uint32_t number = htobe32(id_->qp == nullptr ? 0 : id_->qp->qp_num);
    data.insert(0, reinterpret_cast<const char *>(&number), sizeof number);
  }
  rdma_conn_param raw = raw_parameters(parameters, data, id_);
  if (rdma_connect(id_, &raw) != 0) throw explain_errno("rdma_connect", errno, place());
  CmEvent event;
  expect(RDMA_CM_EVENT_ESTABLISHED, "an answer", seconds, &event);
  connected_ = true;
  private_data_ = event.private_data;
  path_ = event.ud.ah_attr;
  remote_qpn_ = event.ud.qp_num;
  remote_qkey_ = event.ud.qkey;
}

void Cm::accept(const CmParameters &parameters, double seconds) {
  if (!address_.ud) set_option(id_, RDMA_OPTION_ID_ACK_TIMEOUT, address_.ack_timeout, "ACK timeout");
  rdma_conn_param raw = raw_parameters(parameters, parameters.private_data, id_);
  if (rdma_accept(id_, &raw) != 0) throw explain_errno("rdma_accept", errno, place());
  CmEvent event;
  if (!address_.ud) expect(RDMA_CM_EVENT_ESTABLISHED, "the end of the handshake", seconds, &event);
  connected_ = true;
}

void Cm::reject(const std::string &why) {
  constexpr size_t kMost = 148;  // of InfiniBand's message
  const std::string text = why.substr(0, kMost);
  rdma_reject(id_, text.data(), static_cast<uint8_t>(text.size()));
}

void Cm::disconnect() {
  if (connected_ && !address_.ud) rdma_disconnect(id_);
  connected_ = false;
}

const std::string &Cm::gone() {
  CmEvent event;
  while (gone_.empty() && channel_.take(&event, address_.ud)) {
    if (event.type != RDMA_CM_EVENT_TIMEWAIT_EXIT) gone_ = explain_event(event, place(), address_.ud).text;
  }
  return gone_;
}

CmListener::CmListener(const CmAddress &address) : address_(address) {
  const Addresses own = look_up(address.host, address.port, address.ipv6);
  id_ = make_id(channel_, address.ud);
  const std::string place =
      address.host.empty() ? "port " + std::to_string(address.port) : host_and_port(address.host, address.port);
  int only = address.ipv6 ? 1 : 0;
  if (address.ipv6) rdma_set_option(id_, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &only, sizeof only);
  const char *call = "rdma_bind_addr";
  int code = rdma_bind_addr(id_, own->ai_addr);
  if (code == 0) {
    call = "rdma_listen";
    code = rdma_listen(id_, 64);
  }
  if (code == 0) {
    port_ = be16toh(rdma_get_src_port(id_));
    return;
  }
  code = errno;
  close();
  throw explain_errno(call, code, place);
}

std::shared_ptr<Cm> CmListener::accept(double seconds) {
  if (id_ == nullptr) throw CmFailure{"closed", "this listener was closed: make a new one"};
  CmEvent event;
  // An event that isn't a request is of one that has gone away again.
  do {
    if (!channel_.wait(&event, address_.ud, seconds)) return nullptr;
  } while (event.type != RDMA_CM_EVENT_CONNECT_REQUEST);
  CmAddress peer = address_;
  peer.port = 0;
  return std::make_shared<Cm>(event.id, peer, event.private_data);
}

void CmListener::close() {
  if (id_ != nullptr) rdma_destroy_id(id_);
  id_ = nullptr;
}

}  // namespace fabricbench::verbs
