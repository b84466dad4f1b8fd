#include "engine/raw.hpp"

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

using Clock = std::chrono::steady_clock;

constexpr size_t kMostUnread = size_t{1} << 20;
constexpr auto kLinger = std::chrono::seconds(1);
constexpr auto kGrace = std::chrono::seconds(2);
constexpr int kSlice = 50;  // ms

}  // namespace

RawConnection::RawConnection(int socket) : socket_(socket), peer_(peer_of(socket)) {
  prepare_socket(socket_);
  try {
    reader_ = start_thread([this] { receive(); });
  } catch (...) {
    ::close(socket_);
    throw;
  }
}

RawConnection::~RawConnection() {
  finish({"closed", "this side has dropped the connection"});
  watch_no_more();
  shutdown(socket_, SHUT_RDWR);
  reader_.join();
  ::close(socket_);
}

void RawConnection::write(const char *data, size_t length, double seconds) {
  const auto begin = Clock::now();
  while (length > 0) {
    if (is_over()) throw end();
    const ssize_t sent = send(socket_, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      data += sent;
      length -= static_cast<size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      const std::string text = strerror(errno);
      finish({"lost", "the connection to " + peer_ + " broke: " + text});
      throw end();
    }
    if (seconds >= 0 && std::chrono::duration<double>(Clock::now() - begin).count() >= seconds) {
      throw ControlFailure{"timeout", peer_ + " has taken nothing for " + seconds_text(seconds) + " s"};
    }
    pollfd ready = {socket_, POLLOUT, 0};
    poll(&ready, 1, kSlice);
  }
}

std::string RawConnection::read(size_t length, double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto ready = [&] { return unread_.size() >= length || is_over(); };
  if (seconds < 0) {
    changed_.wait(lock, ready);
  } else if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), ready)) {
    throw ControlFailure{"timeout", peer_ + " has sent " + std::to_string(unread_.size()) + " of " +
                                        std::to_string(length) + " bytes within " + seconds_text(seconds) + " s"};
  }
  if (unread_.size() < length) throw end_;
  std::string bytes = unread_.substr(0, length);
  unread_.erase(0, length);
  return bytes;
}

void RawConnection::watch(bool on) {
  if (!on) return watch_no_more();
  std::lock_guard<std::mutex> lock(mutex_);
  if (is_over()) throw end_;
  watched_ = true;
}

void RawConnection::watch_no_more() {
  std::lock_guard<std::mutex> lock(mutex_);
  watched_ = false;
  changed_.notify_all();
}

void RawConnection::close() {
  finish({"closed", "this side has closed the connection"});
  watch_no_more();
  shutdown(socket_, SHUT_WR);
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, kLinger, [this] { return reader_done_; });
  lock.unlock();
  shutdown(socket_, SHUT_RDWR);
}

ControlFailure RawConnection::end() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return end_;
}

// The first reason stays.
void RawConnection::finish(const ControlFailure &why) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (is_over()) return;
  end_ = why;
  over_.store(true, std::memory_order_release);
  changed_.notify_all();
}

void RawConnection::receive() {
  finish(receive_all());
  std::unique_lock<std::mutex> lock(mutex_);
  reader_done_ = true;
  changed_.notify_all();
  if (changed_.wait_for(lock, kGrace, [this] { return !watched_; })) return;
  cancel_runs(end_.text);
}

ControlFailure RawConnection::receive_all() {
  char bytes[4096];
  for (;;) {
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) return {"lost", "the peer (" + peer_ + ") has ended the connection"};
    if (got < 0) return {"lost", "the connection to " + peer_ + " broke: " + strerror(errno)};
    std::lock_guard<std::mutex> lock(mutex_);
    unread_.append(bytes, static_cast<size_t>(got));
    if (unread_.size() > kMostUnread) {
      return {"lost", peer_ + " sends more than anyone reads: it speaks another protocol"};
    }
    changed_.notify_all();
  }
}

}  // namespace fabricbench
