// What makes a channel's messages go on: completions and frames are taken, and what waited is posted.
#include <cerrno>

#include "verbs/channel.hpp"
#include "verbs/operations_wr.hpp"

namespace fabricbench::verbs {
namespace {

Trailer saying(Kind kind, uint32_t message, uint32_t size = 0) {
  Trailer says = {};
  says.kind = kind;
  says.message = message;
  says.size = size;
  return says;
}

Trailer offering(const Message &message) {
  Trailer says = saying(Kind::kOffer, message.number, message.size);
  says.address = reinterpret_cast<uint64_t>(message.data);
  says.rkey = message.rkey;
  return says;
}

// Posts a large message, signaled.
void post_bulk(Line &line, const Message &message, ibv_wr_opcode opcode, Work work, const Offer &offer) {
  ibv_sge sge = {reinterpret_cast<uint64_t>(message.data), message.size, message.lkey};
  ibv_send_wr wr = {};
  wr.wr_id = work_id(line, work, message.number);
  wr.opcode = opcode;
  wr.send_flags = IBV_SEND_SIGNALED;
  set_piece(wr, sge);
  wr.wr.rdma.remote_addr = offer.address;
  wr.wr.rdma.rkey = offer.rkey;
  ibv_send_wr *bad;
  const int32_t code = errno_of(ibv_post_send(line.bulk, &wr, &bad));
  if (__builtin_expect(code != 0, 0)) line.link->fail(code);
  ++line.under_way;
}

void post_bulk_receive(Line &line, const Message &message) {
  ibv_sge sge = {reinterpret_cast<uint64_t>(message.data), message.size, message.lkey};
  ibv_recv_wr wr = {};
  wr.wr_id = work_id(line, Work::kBulkIn, message.number);
  set_piece(wr, sge);
  ibv_recv_wr *bad;
  const int32_t code = errno_of(ibv_post_recv(line.bulk, &wr, &bad));
  if (__builtin_expect(code != 0, 0)) line.link->fail(code);
}

// Offers the buffers of large receives.
template <By kBy>
void offer_receives(Line &line) {
  for (; line.told != line.posted; ++line.told) {
    const Message &receive = line.receives[line.told];
    if (receive.size <= kEager) continue;
    if (line.offered == kBulk || !line.has_room()) return;
    if constexpr (kBy == By::kSend) post_bulk_receive(line, receive);
    post_frame<kBy>(line, offering(receive));
    ++line.offered;
  }
}

template <By kBy>
void announce(Line &line, const Message &send) {
  if (line.announced == line.given + 1 || !line.has_room()) return;
  post_frame<kBy>(line, saying(Kind::kAnnounce, send.number, send.size));
  line.announced = line.given + 1;
}

// Sends large messages whose receives were offered.
template <By kBy>
void push_sends(Line &line) {
  while (line.given != line.queued) {
    const Message &send = line.sends[line.given];
    if (line.offers_used == line.offers_in) return announce<kBy>(line, send);
    const Offer &offer = line.offers[line.offers_used % kBulk];
    if (offer.number != send.number || offer.size != send.size) return refuse_size(line);
    if (line.under_way == kBulk || (kBy == By::kWrite && !line.has_room())) return;
    if constexpr (kBy == By::kSend) {
      post_bulk(line, send, IBV_WR_SEND, Work::kBulkSent, offer);
    } else {
      post_bulk(line, send, IBV_WR_RDMA_WRITE, Work::kBulkSent, offer);
      post_frame<kBy>(line, saying(Kind::kDone, send.number));
    }
    ++line.offers_used;
    ++line.given;
  }
}

// By reads: the sender offers.
void offer_sends(Line &line) {
  while (line.given != line.queued && line.given - line.completed < kBulk && line.has_room()) {
    post_frame<By::kRead>(line, offering(line.sends[line.given]));
    ++line.given;
  }
}

// By reads: the receiver fetches what was offered. Messages end in their order.
void fetch(Line &line) {
  while (line.told != line.posted && line.offers_used != line.offers_in) {
    const Message &receive = line.receives[line.told];
    const Offer &offer = line.offers[line.offers_used % kBulk];
    if (offer.size != receive.size) return refuse_size(line);
    if (line.under_way == kBulk) return;
    if (receive.size == 0) {
      if (line.under_way != 0) return;
      ++line.finished;
      ++line.read;
    } else {
      post_bulk(line, receive, IBV_WR_RDMA_READ, Work::kBulkRead, offer);
    }
    ++line.offers_used;
    ++line.told;
  }
}

// Posts what can go now.
template <By kBy>
void pump(Line &line) {
  if constexpr (kBy == By::kRead) {
    if (line.given != line.queued) offer_sends(line);
    if (line.told != line.posted) fetch(line);
    if (line.read_told != line.read && line.has_room()) {
      post_frame<kBy>(line, saying(Kind::kRead, line.read));
      line.read_told = line.read;
    }
  } else {
    if (line.told != line.posted) offer_receives<kBy>(line);
    if (line.given != line.queued) push_sends<kBy>(line);
  }
  if (line.taken - line.advertised >= kSlots / 2 && line.has_room(0)) post_frame<kBy>(line, saying(Kind::kTaken, 0));
}

// Frames that the peer has written.
void take_written(Line &line) {
  for (;;) {
    const char *end = line.in + (line.taken % kSlots + 1) * kSlotBytes;
    const auto *frame = reinterpret_cast<const Trailer *>(end) - 1;
    if (__atomic_load_n(&frame->number, __ATOMIC_ACQUIRE) != line.taken + 1) return;
    take_frame(line, frame);
    ++line.taken;
  }
}

void take_completion(Link &link, const ibv_wc &wc) {
  if (__builtin_expect(wc.status != IBV_WC_SUCCESS, 0)) return link.fail(kWcStatus + static_cast<int32_t>(wc.status));
  Line &line = *link.lines[wc.wr_id >> 56];
  const auto value = static_cast<uint32_t>(wc.wr_id);
  switch (static_cast<Work>(wc.wr_id >> 48 & 0xff)) {
    case Work::kFrameSent:
      line.retired = value;
      return;
    case Work::kFrameIn:
      take_frame(line, reinterpret_cast<const Trailer *>(line.in + value * kSlotBytes + wc.byte_len) - 1);
      post_slot(line, value);
      ++line.taken;
      return;
    case Work::kBulkSent:
      --line.under_way;
      ++line.completed;
      return;
    case Work::kBulkIn:
      --line.offered;
      ++line.finished;
      return;
    case Work::kBulkRead:
      --line.under_way;
      ++line.finished;
      ++line.read;
      return;
  }
}

// Whether completions are due soon. Those of frames that were written only give back their slots.
bool expects_completions(const Link &link) {
  for (const auto &line : link.lines) {
    if (line->under_way != 0) return true;
  }
  return false;
}

void start_fetching(Line &line) {
  if (line.told != line.posted && line.offers_used != line.offers_in) fetch(line);
}

}  // namespace

void take_completions(Link &link) {
  constexpr int kAtOnce = 16;
  ibv_wc wcs[kAtOnce];
  const int count = ibv_poll_cq(link.queue, kAtOnce, wcs);
  if (__builtin_expect(count < 0, 0)) return link.fail(EIO);
  for (int i = 0; i < count; ++i) take_completion(link, wcs[i]);
}

template <By kBy>
void progress(Link &link) {
  if (__builtin_expect(link.error != 0, 0)) return;
  if constexpr (kBy == By::kSend) {
    take_completions(link);
  } else {
    constexpr uint32_t kSeldom = 64;
    for (const auto &line : link.lines) take_written(*line);
    if (++link.turns % kSeldom == 0 || expects_completions(link)) take_completions(link);
  }
  if (__builtin_expect(link.error != 0, 0)) return;
  for (const auto &line : link.lines) pump<kBy>(*line);
}

template <By kBy>
void post_receive(Line &line, const Message &message) {
  if (line.finished == line.posted) line.base = line.posted;
  line.receives.make_room(line.base, line.posted);
  const uint32_t number = line.posted;
  Message &receive = line.receives[number];
  receive = message;
  receive.number = number;
  ++line.posted;
  if constexpr (kBy == By::kRead) {
    start_fetching(line);
  } else {
    if (message.size <= kEager && line.told == number) ++line.told;
    EarlyMessage *early = line.early.find(number);
    if (__builtin_expect(early == nullptr, 1)) return offer_receives<kBy>(line);
    if (early->size != message.size) return refuse_size(line);
    if (!early->announced) {
      memcpy(message.data, early->data(), message.size);
      ++line.finished;
    }
    line.early.drop_first();
    offer_receives<kBy>(line);
  }
}

template void progress<By::kSend>(Link &);
template void progress<By::kWrite>(Link &);
template void progress<By::kRead>(Link &);
template void post_receive<By::kSend>(Line &, const Message &);
template void post_receive<By::kWrite>(Line &, const Message &);
template void post_receive<By::kRead>(Line &, const Message &);

void queue_send(Line &line, const Message &message) {
  line.sends.make_room(line.completed, line.queued);
  Message &send = line.sends[line.queued++];
  send = message;
  send.number = line.started++;
}

}  // namespace fabricbench::verbs
