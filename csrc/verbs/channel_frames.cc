// Frames: how they go, and what is done with those that come.
#include <cerrno>

#include "verbs/channel.hpp"
#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs {
namespace {

void post(Line &line, ibv_qp *qp, ibv_send_wr &wr) {
  ibv_send_wr *bad;
  const int32_t code = errno_of(ibv_post_send(qp, &wr, &bad));
  if (__builtin_expect(code != 0, 0)) line.link->fail(code);
}

// Whether a receive of that number has been posted and may be looked at.
bool is_posted(const Line &line, uint32_t number) { return number - line.base < line.posted - line.base; }

void take_data(Line &line, const Trailer *frame) {
  const char *data = reinterpret_cast<const char *>(frame) - frame->size;
  if (!is_posted(line, frame->message)) return line.early.add(frame->message, frame->size, data);
  const Message &receive = line.receives[frame->message];
  if (receive.size != frame->size) return refuse_size(line);
  memcpy(receive.data, data, frame->size);
  ++line.finished;
}

void take_announcement(Line &line, const Trailer *frame) {
  if (is_posted(line, frame->message)) {
    if (line.receives[frame->message].size != frame->size) refuse_size(line);
  } else if (static_cast<int32_t>(frame->message - line.posted) >= 0) {
    line.early.add(frame->message, frame->size, nullptr);
  }
}

}  // namespace

template <By kBy>
void post_frame(Line &line, const Trailer &says, const char *data, uint32_t length) {
  const uint32_t slot = line.sent % kSlots;
  const uint32_t bytes = length + static_cast<uint32_t>(sizeof(Trailer));
  const uint32_t begin = (slot + 1) * kSlotBytes - bytes;
  char *to = line.out + begin;
  if (length != 0) memcpy(to, data, length);
  auto *trailer = reinterpret_cast<Trailer *>(to + length);
  *trailer = says;
  trailer->taken = line.advertised = line.taken;
  trailer->number = ++line.sent;
  ibv_sge sge = {reinterpret_cast<uint64_t>(to), bytes, line.out_lkey};
  ibv_send_wr wr = {};
  wr.wr_id = work_id(line, Work::kFrameSent, line.sent);
  wr.sg_list = &sge;
  wr.num_sge = 1;
  if (bytes <= line.max_inline) wr.send_flags |= IBV_SEND_INLINE;
  if (line.sent % kSignalEvery == 0) wr.send_flags |= IBV_SEND_SIGNALED;
  if constexpr (kBy == By::kSend) {
    wr.opcode = IBV_WR_SEND;
  } else {
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = line.remote_in + begin;
    wr.wr.rdma.rkey = line.remote_rkey;
  }
  post(line, line.frames, wr);
}

template void post_frame<By::kSend>(Line &, const Trailer &, const char *, uint32_t);
template void post_frame<By::kWrite>(Line &, const Trailer &, const char *, uint32_t);
template void post_frame<By::kRead>(Line &, const Trailer &, const char *, uint32_t);

void post_last(Line &line) {
  ibv_send_wr wr = {};
  wr.wr_id = work_id(line, Work::kFrameSent, line.sent);
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = line.remote_in;
  wr.wr.rdma.rkey = line.remote_rkey;
  post(line, line.frames, wr);
}

void post_slot(Line &line, uint32_t slot) {
  ibv_sge sge = {reinterpret_cast<uint64_t>(line.in + slot * kSlotBytes), kSlotBytes, line.in_lkey};
  ibv_recv_wr wr = {};
  wr.wr_id = work_id(line, Work::kFrameIn, slot);
  wr.sg_list = &sge;
  wr.num_sge = 1;
  ibv_recv_wr *bad;
  const int32_t code = errno_of(ibv_post_recv(line.frames, &wr, &bad));
  if (__builtin_expect(code != 0, 0)) line.link->fail(code);
}

void post_slots(Line &line) {
  for (uint32_t slot = 0; slot < kSlots; ++slot) post_slot(line, slot);
}

void refuse_size(Line &line) {
  if (line.link->error != 0) return;
  Trailer says = {};
  says.kind = Kind::kAbort;
  if (line.has_room(0)) {
    line.link->by == By::kSend ? post_frame<By::kSend>(line, says) : post_frame<By::kWrite>(line, says);
  }
  line.link->fail(kSizesDiffer);
}

void take_frame(Line &line, const Trailer *frame) {
  line.credited = frame->taken;
  switch (frame->kind) {
    case Kind::kData:
      return take_data(line, frame);
    case Kind::kOffer:
      line.offers[line.offers_in++ % kBulk] = {frame->address, frame->rkey, frame->size, frame->message};
      return;
    case Kind::kAnnounce:
      return take_announcement(line, frame);
    case Kind::kDone:
      --line.offered;
      ++line.finished;
      return;
    case Kind::kRead:
      line.completed = frame->message;
      return;
    case Kind::kAbort:
      return line.link->fail(kSizesDiffer);
    case Kind::kTaken:
      return;
  }
}

}  // namespace fabricbench::verbs
