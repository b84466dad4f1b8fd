// The control connection between a server and a client: TCP, text frames, signals. No JavaScript in here.
//
// A frame is a header (magic, kind, length) and its bytes. One native thread per connection is its only reader: it
// queues texts, counts signals, and when the peer gives up or is gone it cancels all runs of this process, so that
// whatever waits in a native operation ends.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "engine/operation.hpp"

namespace fabricbench {

// Why something failed: `reason` is a word for programs, `text` a sentence for people.
struct ControlFailure {
  std::string reason;
  std::string text;
};

// Longest text of a frame, in bytes.
constexpr size_t kLongestText = size_t{64} << 20;

class ControlConnection {
 public:
  // Takes over a connected socket. Throws std::system_error where the system gives no thread.
  explicit ControlConnection(int socket);
  // The same for a local socket behind which others carry the bytes; `peer` is who is there.
  ControlConnection(int socket, std::string peer);
  // Without `close` the peer sees a connection that broke.
  ~ControlConnection();
  ControlConnection(const ControlConnection &) = delete;
  ControlConnection &operator=(const ControlConnection &) = delete;

  const std::string &peer() const { return peer_; }  // "127.0.0.1:47974"

  // Throws ControlFailure where the connection is no more.
  void send(const std::string &text);
  // Waits for the next text, for ever where `seconds` is negative. Throws ControlFailure.
  std::string receive(double seconds);
  // Tells the peer why this side gives up, and ends the connection.
  void abort(const std::string &text);
  // Says goodbye and ends the connection in good order. Waits a second at most for the peer to have heard it.
  void close();

  bool is_over() const { return over_.load(std::memory_order_acquire); }
  // Why the connection is no more; says nothing while it is there.
  ControlFailure end() const;

  // For operations, on any thread. `send_signal` is false where the connection is no more or the run is cancelled.
  bool send_signal(const Context *context);
  // Takes one signal that has arrived and that nobody has taken, if there is one. On one thread at a time.
  bool take_signal() {
    if (signals_.load(std::memory_order_acquire) == taken_) return false;
    ++taken_;
    return true;
  }

 private:
  enum class Kind : uint16_t { kText = 1, kSignal, kAbort, kGoodbye };
  struct Header;

  void read();
  ControlFailure read_frames();
  bool read_all(void *data, size_t length, ControlFailure *failure);
  bool send_frame(Kind kind, const std::string &text, const Context *context);
  bool send_all(const char *data, size_t length, const Context *context);
  void finish(const ControlFailure &why, bool cancel);
  void leave(Kind kind, const std::string &text, const ControlFailure &why);

  const int socket_;
  std::string peer_;
  std::thread reader_;
  std::atomic<bool> over_{false};
  std::atomic<uint64_t> signals_{0};  // that have arrived
  uint64_t taken_ = 0;                // of those
  std::mutex sending_;                // one frame after the other

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::string> texts_;
  ControlFailure end_;
  bool leaving_ = false;  // this side's last frame is on its way; end_ is known
  bool reader_done_ = false;
};

// A socket that listens. Throws ControlFailure.
class ControlListener {
 public:
  ControlListener(uint16_t port, bool ipv6);
  ~ControlListener() { close(); }
  ControlListener(const ControlListener &) = delete;
  ControlListener &operator=(const ControlListener &) = delete;

  uint16_t port() const { return port_; }
  // The next connection's socket, or -1 once `seconds` have passed; waits for ever where they are negative.
  int accept(double seconds);
  void close();

 private:
  int socket_ = -1;
  uint16_t port_ = 0;
};

// Returns a connected socket. Throws ControlFailure.
// `source` is the address of this side, or empty for any.
int connect_control(const std::string &host, uint16_t port, bool ipv6, double seconds, const std::string &source);

}  // namespace fabricbench
