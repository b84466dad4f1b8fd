// A channel of messages over one active message id. Every active message has a header of 8 bytes, the size of the whole
// message, and a piece of it; a transport keeps them in order.
#pragma once

#include <cstring>

#include "ucx/uct_calls.hpp"

namespace fabricbench::ucx {

// A message that came before its receive was posted; its bytes follow it.
struct UctUnexpected {
  UctUnexpected *next;
  size_t size;
  size_t capacity;
  char *data() { return reinterpret_cast<char *>(this + 1); }
};

struct UctPosted {
  char *to;
  size_t size;
};

constexpr size_t kChannelHeader = sizeof(uint64_t);

struct UctChannel : UctChild {
  static constexpr const char *kWhat = "the channel";

  // The message that is arriving: where its next bytes go, and how many are missing.
  char *to = nullptr;
  size_t missing = 0;
  UctUnexpected *arriving = nullptr;  // where it has no receive yet
  // A ring of receives. Messages and receives are matched, and finish, in the order of both.
  UctPosted *ring = nullptr;
  uint64_t mask = 0;
  uint64_t posted = 0;
  uint64_t matched = 0;
  uint64_t finished = 0;
  ucs_status_t error = UCS_OK;  // a message had another size than its receive: nothing is in order any more

  UctUnexpected *first = nullptr, *last = nullptr;
  UctUnexpected *spare = nullptr;

  std::shared_ptr<UctEp> ep;
  uint8_t id = 0;
  size_t max_short = 0;  // bytes of data; with has_short
  size_t max_piece = 0;
  bool has_short = false;
  UctHolds leftovers;  // buffers of receives whose operations are gone

  UctChannel();
  ~UctChannel();

  // Takes one active message.
  void take(const char *payload, size_t length, uint64_t size);
  // Posts a receive, or gives it the first message that waits.
  void post(char *buffer, size_t size) {
    if (__builtin_expect(first != nullptr, 0)) return take_unexpected(buffer, size);
    if (__builtin_expect(posted - matched > mask, 0)) grow();
    ring[posted++ & mask] = {buffer, size};
  }
  void sweep() {
    if (finished == posted) leftovers.clear();
  }

 private:
  void begin_unexpected(size_t size);
  void take_unexpected(char *buffer, size_t size);
  void begin(uint64_t size);
  void grow();
};

}  // namespace fabricbench::ucx
