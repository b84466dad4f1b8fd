#include "engine/control.hpp"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "engine/cancel.hpp"
#include "engine/control_sockets.hpp"
#include "engine/native_thread.hpp"

namespace fabricbench {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "headers are sent as they lie in memory");

constexpr uint16_t kMagic = 0xfb01;  // and the protocol's version
constexpr int kSlice = 50;           // ms, after which a blocked sender looks whether it is to end
constexpr auto kLinger = std::chrono::seconds(1);

}  // namespace

struct ControlConnection::Header {
  uint16_t magic;
  uint16_t kind;
  uint32_t length;
};

ControlConnection::ControlConnection(int socket) : ControlConnection(socket, peer_of(socket)) {
  prepare_socket(socket_);
}

ControlConnection::ControlConnection(int socket, std::string peer) : socket_(socket), peer_(std::move(peer)) {
  try {
    reader_ = start_thread([this] { read(); });
  } catch (...) {
    ::close(socket_);
    throw;
  }
}

ControlConnection::~ControlConnection() {
  finish({"closed", "this side has dropped the connection"}, false);
  shutdown(socket_, SHUT_RDWR);
  reader_.join();
  ::close(socket_);
}

void ControlConnection::send(const std::string &text) {
  if (!send_frame(Kind::kText, text, nullptr)) throw end();
}

bool ControlConnection::send_signal(const Context *context) { return send_frame(Kind::kSignal, "", context); }

std::string ControlConnection::receive(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto ready = [this] { return !texts_.empty() || is_over(); };
  if (seconds < 0) {
    changed_.wait(lock, ready);
  } else if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), ready)) {
    throw ControlFailure{"timeout", peer_ + " has sent nothing for " + seconds_text(seconds) + " s"};
  }
  if (texts_.empty()) throw end_;
  std::string text = std::move(texts_.front());
  texts_.pop_front();
  return text;
}

void ControlConnection::abort(const std::string &text) {
  leave(Kind::kAbort, text, {"aborted", "this side has given up: " + text});
}

void ControlConnection::close() { leave(Kind::kGoodbye, "", {"closed", "this side has closed the connection"}); }

// The peer's reader ends its half as soon as it has read the last frame. To close before that might take the frame away
// again: a socket that is closed with unread bytes resets the connection.
void ControlConnection::leave(Kind kind, const std::string &text, const ControlFailure &why) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_over() || leaving_) return;
    leaving_ = true;
    end_ = why;
  }
  if (!send_frame(kind, text, nullptr)) return;
  finish(why, false);
  shutdown(socket_, SHUT_WR);
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, kLinger, [this] { return reader_done_; });
  lock.unlock();
  shutdown(socket_, SHUT_RDWR);
}

ControlFailure ControlConnection::end() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return end_;
}

// The first reason stays, and where this side leaves it is that.
void ControlConnection::finish(const ControlFailure &why, bool cancel) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_over()) return;
    if (leaving_) cancel = false;
    if (!leaving_) end_ = why;
    if (end_.reason == "aborted") texts_.clear();
    over_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
  if (cancel) cancel_runs(why.text);
}

bool ControlConnection::send_frame(Kind kind, const std::string &text, const Context *context) {
  const Header header = {kMagic, static_cast<uint16_t>(kind), static_cast<uint32_t>(text.size())};
  std::lock_guard<std::mutex> lock(sending_);
  if (is_over()) return false;
  return send_all(reinterpret_cast<const char *>(&header), sizeof header, context) &&
         send_all(text.data(), text.size(), context);
}

bool ControlConnection::send_all(const char *data, size_t length, const Context *context) {
  while (length > 0) {
    const ssize_t sent = ::send(socket_, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      data += sent;
      length -= static_cast<size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      // What the reader still finds may say more: an abort, say, that came before the end.
      const std::string text = strerror(errno);
      shutdown(socket_, SHUT_WR);
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, kLinger, [this] { return reader_done_; });
      lock.unlock();
      finish({"lost", "the connection to " + peer_ + " broke: " + text}, true);
      return false;
    }
    pollfd ready = {socket_, POLLOUT, 0};
    poll(&ready, 1, kSlice);
    if (is_over()) return false;
    if (context == nullptr || !is_cancelled(context)) continue;
    finish({"lost", "a frame to " + peer_ + " was cut short because runs were cancelled"}, false);
    return false;
  }
  return true;
}

void ControlConnection::read() {
  const ControlFailure why = read_frames();
  finish(why, why.reason != "closed");
  shutdown(socket_, SHUT_WR);
  std::lock_guard<std::mutex> lock(mutex_);
  reader_done_ = true;
  changed_.notify_all();
}

ControlFailure ControlConnection::read_frames() {
  for (;;) {
    Header header;
    std::string text;
    ControlFailure failure;
    if (!read_all(&header, sizeof header, &failure)) return failure;
    if (header.magic != kMagic || header.length > kLongestText) {
      return {"lost", peer_ + " does not speak fabricbench's protocol, or that of another version"};
    }
    text.resize(header.length);
    if (!read_all(text.data(), text.size(), &failure)) return failure;
    switch (static_cast<Kind>(header.kind)) {
      case Kind::kSignal:
        signals_.fetch_add(1, std::memory_order_release);
        break;
      case Kind::kAbort:
        return {"aborted", "the peer (" + peer_ + ") has given up: " + text};
      case Kind::kGoodbye:
        return {"closed", "the peer (" + peer_ + ") has closed the connection"};
      case Kind::kText: {
        std::lock_guard<std::mutex> lock(mutex_);
        texts_.push_back(std::move(text));
        changed_.notify_all();
        break;
      }
    }
  }
}

bool ControlConnection::read_all(void *data, size_t length, ControlFailure *failure) {
  auto *next = static_cast<char *>(data);
  while (length > 0) {
    const ssize_t got = recv(socket_, next, length, 0);
    if (got > 0) {
      next += got;
      length -= static_cast<size_t>(got);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    *failure = got == 0 ? ControlFailure{"lost", "the peer (" + peer_ + ") has ended without a word"}
                        : ControlFailure{"lost", "the connection to " + peer_ + " broke: " + strerror(errno)};
    return false;
  }
  return true;
}

}  // namespace fabricbench
