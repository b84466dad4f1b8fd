// How the sockets of control connections come about: listening, accepting, connecting.
#include "engine/control_sockets.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "engine/control.hpp"

namespace fabricbench {
namespace {

using Clock = std::chrono::steady_clock;

// How long until `seconds` have passed, for ever where they are negative.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : endless_(seconds < 0), end_(Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000))) {}
  bool is_over() const { return !endless_ && Clock::now() >= end_; }
  // Milliseconds for one poll: a slice at most.
  int slice() const {
    constexpr int64_t kSlice = 200;
    if (endless_) return static_cast<int>(kSlice);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
    return static_cast<int>(std::min(kSlice, std::max<int64_t>(left + 1, 0)));
  }

 private:
  bool endless_;
  Clock::time_point end_;
};

// Whether the socket is ready before the deadline.
bool wait_ready(int socket, short events, const Deadline &deadline) {
  for (;;) {
    pollfd ready = {socket, events, 0};
    if (poll(&ready, 1, deadline.slice()) > 0) return true;
    if (deadline.is_over()) return false;
  }
}

std::string place(const std::string &host, uint16_t port) { return host + " port " + std::to_string(port); }

ControlFailure explain_connect(const std::string &host, uint16_t port, int error, double seconds) {
  const std::string where = place(host, port);
  switch (error) {
    case ECONNREFUSED:
      return {"refused", "nobody listens at " + where + ": start the server there first"};
    case ETIMEDOUT:
      return {"timeout", where + " has not answered within " + seconds_text(seconds) + " s"};
    case EHOSTUNREACH:
    case ENETUNREACH:
      return {"unreachable", "there is no way to " + where + ": " + strerror(error)};
    default:
      return {"other", "there is no connection to " + where + ": " + strerror(error)};
  }
}

// The error of one attempt, or 0.
int attempt(int socket, const addrinfo &address, const Deadline &deadline) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_ready(socket, POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string &host, uint16_t port, bool ipv6) {
  addrinfo hints = {};
  hints.ai_family = ipv6 ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo *list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code == 0) return Addresses(list, freeaddrinfo);
  const std::string kind = ipv6 ? "IPv6" : "IPv4";
  throw ControlFailure{"unknown-host", "no " + kind + " address is known for the host " + host + " (" +
                                           (code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code)) +
                                           "): check its name"};
}

// Binds to an address and any port; returns an errno or 0.
int bind_to(int socket, const std::string &address, bool ipv6) {
  sockaddr_in6 six = {};
  sockaddr_in four = {};
  six.sin6_family = AF_INET6;
  four.sin_family = AF_INET;
  void *into = ipv6 ? static_cast<void *>(&six.sin6_addr) : &four.sin_addr;
  if (inet_pton(ipv6 ? AF_INET6 : AF_INET, address.c_str(), into) != 1) return EAFNOSUPPORT;
  const auto *generic = ipv6 ? reinterpret_cast<sockaddr *>(&six) : reinterpret_cast<sockaddr *>(&four);
  return bind(socket, generic, ipv6 ? sizeof six : sizeof four) == 0 ? 0 : errno;
}

void set_option(int socket, int level, int name, int value) { setsockopt(socket, level, name, &value, sizeof value); }

}  // namespace

std::string seconds_text(double seconds) {
  char text[32];
  snprintf(text, sizeof text, "%g", seconds);
  return text;
}

void prepare_socket(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 2);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 6000);
}

std::string peer_of(int socket) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getpeername(socket, reinterpret_cast<sockaddr *>(&address), &length) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr *>(&address), length, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "a peer that is gone";
  }
  const bool ipv6 = address.ss_family == AF_INET6;
  return (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

int connect_control(const std::string &host, uint16_t port, bool ipv6, double seconds, const std::string &source) {
  const Deadline deadline(seconds);
  const Addresses addresses = resolve(host, port, ipv6);
  int error = EADDRNOTAVAIL;
  for (const addrinfo *each = addresses.get(); each != nullptr; each = each->ai_next) {
    const int socket = ::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) {
      error = errno;
      continue;
    }
    const int refused = source.empty() ? 0 : bind_to(socket, source, ipv6);
    if (refused != 0) {
      close(socket);
      throw ControlFailure{"other", "this host has no address " + source + " to connect from: " + strerror(refused)};
    }
    error = attempt(socket, *each, deadline);
    if (error == 0) {
      fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
      return socket;
    }
    close(socket);
  }
  throw explain_connect(host, port, error, seconds);
}

ControlListener::ControlListener(uint16_t port, bool ipv6) {
  socket_ = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  sockaddr_storage address = {};
  socklen_t length = sizeof(sockaddr_in);
  if (ipv6) {
    auto *any = reinterpret_cast<sockaddr_in6 *>(&address);
    *any = {};
    any->sin6_family = AF_INET6;
    any->sin6_port = htons(port);
    length = sizeof *any;
  } else {
    auto *any = reinterpret_cast<sockaddr_in *>(&address);
    any->sin_family = AF_INET;
    any->sin_port = htons(port);
  }
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  const bool listens = socket_ >= 0 && setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       (!ipv6 || setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
                       bind(socket_, generic, length) == 0 && listen(socket_, 16) == 0 &&
                       getsockname(socket_, generic, &length) == 0;
  if (listens) {
    port_ = ntohs(ipv6 ? reinterpret_cast<sockaddr_in6 *>(&address)->sin6_port
                       : reinterpret_cast<sockaddr_in *>(&address)->sin_port);
    return;
  }
  const int error = errno;
  close();
  const std::string number = std::to_string(port);
  if (error == EADDRINUSE) {
    throw ControlFailure{"in-use", "port " + number + " is in use: choose another, or end what listens there"};
  }
  throw ControlFailure{"other", "port " + number + " can't be listened on: " + strerror(error)};
}

int ControlListener::accept(double seconds) {
  const Deadline deadline(seconds);
  for (;;) {
    if (socket_ < 0) throw ControlFailure{"closed", "this listener was closed: make a new one"};
    if (!wait_ready(socket_, POLLIN, deadline)) return -1;
    const int accepted = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted >= 0) return accepted;
    // Who called may be gone again.
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) continue;
    throw ControlFailure{"other", std::string("no connection can be accepted: ") + strerror(errno)};
  }
}

void ControlListener::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

}  // namespace fabricbench
