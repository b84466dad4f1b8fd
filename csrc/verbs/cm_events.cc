// Events of librdmacm: waiting for them, and what they mean in words.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "verbs/cm.hpp"

namespace fabricbench::verbs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSlice = 50;  // ms, after which a wait looks whether it is to end

CmFailure no_channel(int code) {
  const std::string text = strerror(code);
  if (code == ENOENT || code == ENODEV) {
    return {"other", "rdma_cm can't be used (" + text +
                         "): load the kernel's module rdma_ucm, which gives /dev/infiniband/rdma_cm"};
  }
  if (code == EACCES || code == EPERM) {
    return {"other", "rdma_cm can't be used (" + text + "): this user may not open /dev/infiniband/rdma_cm"};
  }
  return {"other", "rdma_create_event_channel failed: " + text};
}

// Of a request that was rejected, by InfiniBand's numbers.
const char *rejection(int status) {
  switch (status) {
    case 1:
      return "its queue pair is not known there";
    case 3:
      return "the other side has no resources left";
    case 4:
      return "the other side has waited too long";
    case 5:
      return "the other side does not support it";
    case 9:
      return "the other side has another type of transport";
    case 10:
      return "the other side still knows an old connection of this queue pair: try again";
    case 12:
      return "the other side takes another GID, or the way back leads over another interface: check addresses and "
             "routes "
             "of both sides";
    case 26:
      return "the other side's path has another MTU";
    case 27:
      return "more reads and atomics were asked for than the other side can hold: use a smaller -o";
    default:
      return nullptr;
  }
}

bool nobody_listens(const CmEvent &event, bool ud) {
  if (event.type == RDMA_CM_EVENT_REJECTED) return event.status == 8 || event.status == -ECONNREFUSED;
  return event.type == RDMA_CM_EVENT_UNREACHABLE && ud && event.status == 1;
}

// The system's text of a negative status.
std::string in_words(int status) {
  return status < 0 ? std::string(strerror(-status)) : "status " + std::to_string(status);
}

CmFailure explain_rejection(const CmEvent &event, const std::string &place) {
  constexpr int kByTheOther = 28;
  if (event.status == kByTheOther) {
    const std::string why(event.private_data.c_str());
    return {"aborted", place + " has rejected the connection" + (why.empty() ? "" : ": " + why)};
  }
  const char *known = rejection(event.status);
  return {"other", "the connection to " + place + " was rejected: " + (known ? known : in_words(event.status))};
}

}  // namespace

CmFailure explain_event(const CmEvent &event, const std::string &place, bool ud) {
  if (nobody_listens(event, ud)) {
    return {"refused", "nobody listens at " + place + " with rdma_cm: start the server there first"};
  }
  switch (event.type) {
    case RDMA_CM_EVENT_REJECTED:
      return explain_rejection(event, place);
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
      return {"unreachable", "no RDMA device leads to " + place + " (" + in_words(event.status) +
                                 "): use an address of an interface that has one, on both sides"};
    case RDMA_CM_EVENT_UNREACHABLE:
      return {"unreachable", place + " does not answer rdma_cm (" + in_words(event.status) +
                                 "): check the way there, and that UDP port 4791 is open (RoCE)"};
    case RDMA_CM_EVENT_DISCONNECTED:
      return {"lost", "the peer (" + place + ") has disconnected"};
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      return {"lost", "the device of the connection to " + place + " was removed"};
    case RDMA_CM_EVENT_ADDR_CHANGE:
      return {"lost", "the address of the connection to " + place + " has changed"};
    default:
      return {"other", "the connection to " + place + " failed: " + rdma_event_str(event.type) + " (" +
                           in_words(event.status) + ")"};
  }
}

CmFailure explain_errno(const char *call, int code, const std::string &place) {
  switch (code) {
    case EADDRINUSE:
      return {"in-use", place + " is in use by rdma_cm: choose another port, or end what listens there"};
    case ENODEV:
    case EADDRNOTAVAIL:
      return {"unreachable", "no RDMA device has or leads to " + place + " (" + strerror(code) +
                                 "): use an address of an interface that has one"};
    case ENETUNREACH:
    case EHOSTUNREACH:
      return {"unreachable", "there is no way to " + place + ": " + strerror(code)};
    default:
      return {"other", std::string(call) + " failed for " + place + ": " + strerror(code)};
  }
}

CmChannel::CmChannel() : channel_(rdma_create_event_channel()) {
  if (channel_ == nullptr) throw no_channel(errno);
  fcntl(fd(), F_SETFL, fcntl(fd(), F_GETFL) | O_NONBLOCK);
}

CmChannel::~CmChannel() { rdma_destroy_event_channel(channel_); }

bool CmChannel::take(CmEvent *event, bool ud) {
  rdma_cm_event *raw = nullptr;
  if (rdma_get_cm_event(channel_, &raw) != 0) return false;
  event->type = raw->event;
  event->status = raw->status;
  event->id = raw->id;
  const void *data = ud ? raw->param.ud.private_data : raw->param.conn.private_data;
  const size_t length = ud ? raw->param.ud.private_data_len : raw->param.conn.private_data_len;
  event->private_data = data == nullptr ? "" : std::string(static_cast<const char *>(data), length);
  event->ud = ud ? raw->param.ud : rdma_ud_param{};
  event->ud.private_data = nullptr;
  rdma_ack_cm_event(raw);
  return true;
}

bool CmChannel::wait(CmEvent *event, bool ud, double seconds) {
  const auto begin = Clock::now();
  for (;;) {
    if (take(event, ud)) return true;
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (is_cancelled(&detail::call_context)) throw CmFailure{"aborted", describe_cancelling()};
    if (seconds >= 0 && left <= 0) return false;
    pollfd ready = {fd(), POLLIN, 0};
    poll(&ready, 1, seconds < 0 ? kSlice : std::min(kSlice, static_cast<int>(left * 1000) + 1));
  }
}

}  // namespace fabricbench::verbs
