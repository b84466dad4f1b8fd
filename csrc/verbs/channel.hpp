// Messages between two processes over reliable queue pairs, matched in the order of sending.
//
// A line is one channel; the lines of a link share a completion queue. A line moves frames: small messages and what the
// two ends tell each other about large ones. Frames go by SEND into slots that the peer has posted, or by RDMA_WRITE
// into slots that the peer polls; either way into the slot of their number, and `taken` in each frame tells how many
// slots are free again. Large messages go from buffer to buffer:
//   send   the receiver posts its buffer to a queue pair of its own and offers it; the sender SENDs
//   write  the receiver offers its buffer; the sender RDMA_WRITEs, and a frame behind it says that it is done
//   read   the sender offers its buffer, whatever the size; the receiver RDMA_READs, and a frame says what is read
#pragma once

#include <cerrno>

#include "verbs/channel_ring.hpp"
#include "verbs/objects.hpp"

namespace fabricbench::verbs {

enum class By : uint32_t { kSend, kWrite, kRead };

constexpr uint32_t kSlots = 128;  // frames under way in one direction
constexpr uint32_t kReserved =
    4;  // of them, for frames that only tell what was taken: else both ends might wait for each other
constexpr uint32_t kSignalEvery = 32;  // frames
constexpr uint32_t kBulk = 128;        // large messages offered, or under way, in one direction
constexpr uint32_t kEager = 4096;      // bytes of a small message at most
constexpr uint32_t kSlotBytes = 4160;

enum class Kind : uint32_t {
  kData,      // a small message
  kOffer,     // of a buffer that a large message goes to, or comes from
  kAnnounce,  // a large message waits for its offer: so that another size is found out
  kDone,      // a large message was written
  kRead,      // so many messages were read
  kTaken,     // nothing but `taken`
  kAbort,     // sizes differ
};

// What stands behind a frame's data, at the end of its slot where frames are written: a poll of memory looks at the
// last word, which arrives last.
struct Trailer {
  uint64_t address;
  uint32_t rkey;
  uint32_t message;  // its number, or how many
  uint32_t size;     // of the message
  Kind kind;
  uint32_t taken;
  uint32_t number;  // of the frame, from 1
};
static_assert(sizeof(Trailer) == 32 && kEager + sizeof(Trailer) <= kSlotBytes);

// A message that is sent or received.
struct Message {
  char *data;
  uint32_t lkey;
  uint32_t rkey;
  uint32_t size;
  uint32_t number;
};

struct Offer {
  uint64_t address;
  uint32_t rkey;
  uint32_t size;
  uint32_t number;
};

struct Link;

struct Line {
  Link *link = nullptr;
  uint32_t index = 0;
  ibv_qp *frames = nullptr;
  ibv_qp *bulk = nullptr;  // the same, but for kSend
  char *in = nullptr, *out = nullptr;
  uint32_t in_lkey = 0, out_lkey = 0;
  uint64_t remote_in = 0;
  uint32_t remote_rkey = 0;
  uint32_t max_inline = 0;

  // Counts that only grow, and wrap. Frames sent, those whose slot here is free again, and whose slot there is.
  uint32_t sent = 0, retired = 0, credited = 0;
  // Frames that came, and how many of them the peer knows to be taken.
  uint32_t taken = 0, advertised = 0;

  uint32_t started = 0;  // messages sent
  // Those that go from buffer to buffer: waiting, given to the queue pair (or offered), complete.
  Ring<Message> sends;
  uint32_t queued = 0, given = 0, completed = 0;
  uint32_t announced = 0;  // of those given or the next one

  Ring<Message> receives;
  uint32_t base = 0, posted = 0, finished = 0;  // receives[base...posted) may be looked at
  uint32_t told = 0;                            // those that were offered, needn't be, or (kRead) are being read
  uint32_t offered = 0;                         // buffers of this end that are out
  uint32_t read = 0, read_told = 0;
  Early early;  // messages that came before their receives

  Offer offers[kBulk];  // of the peer
  uint32_t offers_in = 0, offers_used = 0;
  uint32_t under_way = 0;  // large messages on this end's queue pair

  bool has_room(uint32_t reserved = kReserved) const {
    return sent - credited < kSlots - reserved && sent - retired < kSlots;
  }
};

struct Link : Child {
  static constexpr const char *kWhat = "the link";
  By by = By::kSend;
  ibv_cq *queue = nullptr;
  std::vector<std::unique_ptr<Line>> lines;
  uint32_t turns = 0;
  int32_t error = 0;  // the first; nothing works any more
  std::vector<std::shared_ptr<Child>> parts;

  void fail(int32_t code) {
    if (error == 0) error = code;
  }
};

// Code of a message whose size is not its receive's.
constexpr int32_t kSizesDiffer = EMSGSIZE;

// What a completion is of, in its wr_id.
enum class Work : uint64_t { kFrameSent, kFrameIn, kBulkSent, kBulkIn, kBulkRead };
inline uint64_t work_id(const Line &line, Work work, uint32_t value) {
  return static_cast<uint64_t>(line.index) << 56 | static_cast<uint64_t>(work) << 48 | value;
}

// Posts a frame. There must be room.
template <By kBy>
void post_frame(Line &line, const Trailer &says, const char *data = nullptr, uint32_t length = 0);
// Posts the receive of a slot.
void post_slot(Line &line, uint32_t slot);
// Posts the receives of all slots (kSend).
void post_slots(Line &line);
// Posts nothing, signaled: complete once all frames have arrived.
void post_last(Line &line);

// Takes the completions that are there.
void take_completions(Link &link);

// A receive: it may be matched at once.
template <By kBy>
void post_receive(Line &line, const Message &message);
// A large message to send; it goes once it can.
void queue_send(Line &line, const Message &message);
// Takes what has come, and posts what can go.
template <By kBy>
void progress(Link &link);
// Tells the peer, as far as there is room, that sizes differ.
void refuse_size(Line &line);
void take_frame(Line &line, const Trailer *frame);

}  // namespace fabricbench::verbs
