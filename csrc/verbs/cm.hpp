// Connections by librdmacm. No JavaScript in here: what goes wrong is thrown as a CmFailure.
//
// Each identifier has an event channel of its own, so that a wait for one never takes another's events.
#pragma once

#include <rdma/rdma_cma.h>

#include <memory>
#include <string>

#include "verbs/objects.hpp"

namespace fabricbench::verbs {

// Why something failed: `reason` is a word for programs (src/engine/control.ts has them), `text` a sentence for people.
struct CmFailure {
  std::string reason;
  std::string text;
};

struct CmAddress {
  std::string host;  // empty: any
  uint16_t port = 0;
  bool ipv6 = false;
  std::string source;    // empty: what the route gives
  int tos = -1;          // -1: the system's
  int ack_timeout = -1;  // 4.096 us * 2^n; -1: what the path gives
  bool ud = false;
};

struct CmParameters {
  uint8_t responder_resources = 0, initiator_depth = 0, retry_count = 7, rnr_retry = 7;
  std::string private_data;
};

// What an event said; it is acknowledged already.
struct CmEvent {
  rdma_cm_event_type type = RDMA_CM_EVENT_ADDR_RESOLVED;
  int status = 0;
  rdma_cm_id *id = nullptr;
  std::string private_data;
  rdma_ud_param ud = {};
};

class CmChannel {
 public:
  CmChannel();
  ~CmChannel();
  CmChannel(const CmChannel &) = delete;
  CmChannel &operator=(const CmChannel &) = delete;

  rdma_event_channel *get() const { return channel_; }
  int fd() const { return channel_->fd; }
  // The next event that has come, if one has. `ud` says which of its parameters hold.
  bool take(CmEvent *event, bool ud);
  // Waits for the next one; false once `seconds` have passed. Throws CmFailure where runs are cancelled.
  bool wait(CmEvent *event, bool ud, double seconds);

 private:
  rdma_event_channel *channel_;
};

// One end of a connection. What belongs to it (its queue pair) is destroyed before it.
class Cm {
 public:
  // Resolves address and route.
  Cm(const CmAddress &address, double seconds);
  // Takes over what a listener was asked for.
  Cm(rdma_cm_id *id, const CmAddress &address, std::string private_data);
  ~Cm();
  Cm(const Cm &) = delete;
  Cm &operator=(const Cm &) = delete;

  rdma_cm_id *id() const { return id_; }
  CmChannel &channel() { return channel_; }
  bool ud() const { return address_.ud; }
  // Of the other side, "127.0.0.1:18515".
  std::string peer() const;
  const std::string &private_data() const { return private_data_; }

  void connect(const CmParameters &parameters, double seconds);
  void accept(const CmParameters &parameters, double seconds);
  void reject(const std::string &why);
  void disconnect();
  // Gives the identifier back; nothing else may be called then.
  void close();
  // Why the other side is no more; empty while it is there.
  const std::string &gone();
  // UD: how to reach the other side, once connected.
  ibv_ah_attr path() const { return path_; }
  uint32_t remote_qpn() const { return remote_qpn_; }
  uint32_t remote_qkey() const { return remote_qkey_; }

  // Whether a queue pair of it is open.
  bool has_qp = false;

 private:
  void expect(rdma_cm_event_type wanted, const char *what, double seconds, CmEvent *event);
  void options();
  std::string place() const;

  CmAddress address_;
  CmChannel channel_;
  rdma_cm_id *id_ = nullptr;
  std::string private_data_, gone_;
  bool connected_ = false;
  ibv_ah_attr path_ = {};
  uint32_t remote_qpn_ = 0, remote_qkey_ = 0;
};

class CmListener {
 public:
  explicit CmListener(const CmAddress &address);
  ~CmListener() { close(); }
  CmListener(const CmListener &) = delete;
  CmListener &operator=(const CmListener &) = delete;

  uint16_t port() const { return port_; }
  // The next that asks, or null once `seconds` have passed.
  std::shared_ptr<Cm> accept(double seconds);
  void close();

 private:
  CmAddress address_;
  CmChannel channel_;
  rdma_cm_id *id_ = nullptr;
  uint16_t port_ = 0;
};

// Most bytes of the caller's that go with a request. UD's hold the queue pair's number besides.
constexpr size_t kMostPrivateData = 56, kMostPrivateDataUd = 52;

// What an event that isn't the one waited for means, at this place.
CmFailure explain_event(const CmEvent &event, const std::string &place, bool ud);
CmFailure explain_errno(const char *call, int code, const std::string &place);

}  // namespace fabricbench::verbs
