// A TCP connection of bytes without frames, for peers that speak a protocol of their own. No JavaScript in here.
//
// One native thread per connection reads all that comes, so that a peer that dies is noticed while a run executes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "engine/control.hpp"

namespace fabricbench {

class RawConnection {
 public:
  // Takes over a connected socket. Throws std::system_error where the system gives no thread.
  explicit RawConnection(int socket);
  ~RawConnection();
  RawConnection(const RawConnection &) = delete;
  RawConnection &operator=(const RawConnection &) = delete;

  const std::string &peer() const { return peer_; }

  // Throws ControlFailure where the connection is no more, or the peer takes nothing for so many seconds.
  void write(const char *data, size_t length, double seconds);
  // Waits for exactly so many bytes, for ever where `seconds` is negative. What came before the end is still given.
  // Throws ControlFailure, and then leaves the bytes that have come.
  std::string read(size_t length, double seconds);
  // Whether the peer's end cancels all runs of this process, two seconds after it: a peer may be done a little earlier,
  // and some end without a word then. Throws ControlFailure where the connection is no more.
  void watch(bool on);
  // Ends this side's half, and waits a second at most for the peer to end its own.
  void close();

  bool is_over() const { return over_.load(std::memory_order_acquire); }
  ControlFailure end() const;

 private:
  void receive();
  ControlFailure receive_all();
  void finish(const ControlFailure &why);
  void watch_no_more();

  const int socket_;
  std::string peer_;
  std::thread reader_;
  std::atomic<bool> over_{false};

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::string unread_;
  ControlFailure end_;
  bool watched_ = false;
  bool reader_done_ = false;
};

}  // namespace fabricbench
