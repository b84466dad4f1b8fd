#include "verbs/cm_stream.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/native_thread.hpp"

namespace fabricbench::verbs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kChunk = 4096;
constexpr uint32_t kSends = 16, kReceives = 64;
constexpr uint64_t kReceiveId = uint64_t{1} << 32;  // what tells receives from sends in wr_id
constexpr auto kQuiet = std::chrono::seconds(2);    // after which a word is sent, to see whether the peer still answers
constexpr int kSlice = 200;                         // ms

// First byte of a chunk.
enum class Kind : char { kData = 1, kEnd, kQuiet };

[[noreturn]] void fail(const char *call, int code) {
  throw CmFailure{"other", std::string(call) + " failed for the connection of rdma_cm: " + strerror(code)};
}

// The queue pair of a stream and its memory.
class Chunks {
 public:
  explicit Chunks(std::shared_ptr<Cm> cm) : cm_(std::move(cm)), memory_((kSends + kReceives) * kChunk) {
    try {
      open();
    } catch (...) {
      close();
      throw;
    }
  }
  ~Chunks() { close(); }
  Chunks(const Chunks &) = delete;
  Chunks &operator=(const Chunks &) = delete;

  Cm &cm() { return *cm_; }
  int fd() const { return channel_->fd; }
  bool can_send() const { return !free_.empty(); }
  bool all_sent() const { return free_.size() == kSends; }

  // Where the next chunk's bytes go, after its kind.
  char *room() { return memory_.data() + free_.back() * kChunk + 1; }
  bool send(Kind kind, size_t length) {
    const uint32_t slot = free_.back();
    char *chunk = memory_.data() + slot * kChunk;
    *chunk = static_cast<char>(kind);
    ibv_sge piece = {reinterpret_cast<uint64_t>(chunk), static_cast<uint32_t>(length + 1), mr_->lkey};
    ibv_send_wr wr = {}, *bad = nullptr;
    wr.wr_id = slot;
    wr.sg_list = &piece;
    wr.num_sge = 1;
    wr.opcode = IBV_WR_SEND;
    wr.send_flags = IBV_SEND_SIGNALED;
    if (ibv_post_send(cm_->id()->qp, &wr, &bad) != 0) return false;
    free_.pop_back();
    return true;
  }

  // Takes events and completions; hands the bytes of each chunk that came to `take`. False where the connection failed.
  template <class Take>
  bool poll(Take take) {
    ibv_cq *of = nullptr;
    void *ignored = nullptr;
    while (ibv_get_cq_event(channel_, &of, &ignored) == 0) ibv_ack_cq_events(of, 1);
    ibv_req_notify_cq(cq_, 0);
    ibv_wc wc;
    bool well = true;
    while (ibv_poll_cq(cq_, 1, &wc) > 0) {
      if (wc.status != IBV_WC_SUCCESS) {
        well = false;
      } else if ((wc.wr_id & kReceiveId) == 0) {
        free_.push_back(static_cast<uint32_t>(wc.wr_id));
      } else {
        const auto slot = static_cast<uint32_t>(wc.wr_id);
        const char *chunk = memory_.data() + slot * kChunk;
        take(static_cast<Kind>(*chunk), chunk + 1, wc.byte_len - 1);
        well = post_receive(slot) && well;
      }
    }
    return well;
  }

 private:
  void open() {
    rdma_cm_id *id = cm_->id();
    channel_ = ibv_create_comp_channel(id->verbs);
    if (channel_ == nullptr) fail("ibv_create_comp_channel", errno);
    fcntl(fd(), F_SETFL, fcntl(fd(), F_GETFL) | O_NONBLOCK);
    pd_ = ibv_alloc_pd(id->verbs);
    if (pd_ == nullptr) fail("ibv_alloc_pd", errno);
    mr_ = ibv_reg_mr(pd_, memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE);
    if (mr_ == nullptr) fail("ibv_reg_mr", errno);
    cq_ = ibv_create_cq(id->verbs, kSends + kReceives, nullptr, channel_, 0);
    if (cq_ == nullptr) fail("ibv_create_cq", errno);
    ibv_qp_init_attr attributes = {};
    attributes.qp_type = IBV_QPT_RC;
    attributes.send_cq = attributes.recv_cq = cq_;
    attributes.cap = {kSends, kReceives, 1, 1, 0};
    if (rdma_create_qp(id, pd_, &attributes) != 0) fail("rdma_create_qp", errno);
    made_ = true;
    for (uint32_t slot = 0; slot < kSends; ++slot) free_.push_back(slot);
    for (uint32_t slot = kSends; slot < kSends + kReceives; ++slot) {
      if (!post_receive(slot)) fail("ibv_post_recv", errno);
    }
    ibv_req_notify_cq(cq_, 0);
  }

  bool post_receive(uint32_t slot) {
    ibv_sge piece = {reinterpret_cast<uint64_t>(memory_.data() + slot * kChunk), kChunk, mr_->lkey};
    ibv_recv_wr wr = {}, *bad = nullptr;
    wr.wr_id = kReceiveId | slot;
    wr.sg_list = &piece;
    wr.num_sge = 1;
    return ibv_post_recv(cm_->id()->qp, &wr, &bad) == 0;
  }

  void close() {
    if (made_) rdma_destroy_qp(cm_->id());
    if (cq_ != nullptr) ibv_destroy_cq(cq_);
    if (mr_ != nullptr) ibv_dereg_mr(mr_);
    if (pd_ != nullptr) ibv_dealloc_pd(pd_);
    if (channel_ != nullptr) ibv_destroy_comp_channel(channel_);
  }

  std::shared_ptr<Cm> cm_;
  std::vector<char> memory_;
  ibv_comp_channel *channel_ = nullptr;
  ibv_pd *pd_ = nullptr;
  ibv_mr *mr_ = nullptr;
  ibv_cq *cq_ = nullptr;
  bool made_ = false;
  std::vector<uint32_t> free_;  // slots to send from
};

// Carries bytes until both sides have ended, or one is gone.
class Pump {
 public:
  Pump(std::unique_ptr<Chunks> chunks, int socket) : chunks_(std::move(chunks)), socket_(socket) {
    thread_ = start_thread([this] {
      run();
      done_.store(true);
    });
  }
  ~Pump() {
    stop_.store(true);
    thread_.join();
    ::close(socket_);
  }
  Pump(const Pump &) = delete;
  Pump &operator=(const Pump &) = delete;

  bool done() const { return done_.load(); }

 private:
  void run() {
    auto last = Clock::now();
    while (!(ended_ && peer_ended_ && chunks_->all_sent())) {
      wait();
      // What came before the end is taken first.
      const bool gone = !chunks_->cm().gone().empty();
      const bool well = chunks_->poll([&](Kind kind, const char *data, size_t length) { take(kind, data, length); });
      if (gone || !well || stop_.load()) break;
      if (!pass_on(&last)) break;
    }
    shutdown(socket_, SHUT_RDWR);
    chunks_->cm().disconnect();
    chunks_.reset();
  }

  void wait() {
    pollfd fds[] = {{chunks_->fd(), POLLIN, 0},
                    {chunks_->cm().channel().fd(), POLLIN, 0},
                    {ended_ || !chunks_->can_send() ? -1 : socket_, POLLIN, 0}};
    ::poll(fds, 3, kSlice);
  }

  void take(Kind kind, const char *data, size_t length) {
    if (kind == Kind::kEnd) {
      peer_ended_ = true;
      shutdown(socket_, SHUT_WR);
    }
    while (kind == Kind::kData && length > 0) {
      const ssize_t written = ::send(socket_, data, length, MSG_NOSIGNAL);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return;  // nobody reads it any more
      data += written;
      length -= static_cast<size_t>(written);
    }
  }

  // Sends what lies in the socket. False where it can't be sent.
  bool pass_on(Clock::time_point *last) {
    while (!ended_ && chunks_->can_send()) {
      const ssize_t got = recv(socket_, chunks_->room(), kChunk - 1, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
      ended_ = got <= 0;
      *last = Clock::now();
      if (!chunks_->send(ended_ ? Kind::kEnd : Kind::kData, ended_ ? 0 : static_cast<size_t>(got))) return false;
    }
    if (!chunks_->can_send() || Clock::now() - *last < kQuiet) return true;
    *last = Clock::now();
    return chunks_->send(Kind::kQuiet, 0);
  }

  std::unique_ptr<Chunks> chunks_;
  const int socket_;
  std::atomic<bool> stop_{false}, done_{false};
  bool ended_ = false, peer_ended_ = false;  // that all has been passed on, that all has come
  std::thread thread_;
};

std::mutex &pumps_mutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}
std::list<std::unique_ptr<Pump>> &pumps() {
  static auto *list = new std::list<std::unique_ptr<Pump>>;
  return *list;
}

template <class Meet>
CmSocket make(const std::shared_ptr<Cm> &cm, Meet meet) {
  auto chunks = std::make_unique<Chunks>(cm);
  meet();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair", errno);
  CmSocket result{ends[0], cm->peer()};
  std::lock_guard<std::mutex> lock(pumps_mutex());
  pumps().remove_if([](const std::unique_ptr<Pump> &pump) { return pump->done(); });
  pumps().push_back(std::make_unique<Pump>(std::move(chunks), ends[1]));
  return result;
}

}  // namespace

CmSocket connect_stream(std::shared_ptr<Cm> cm, double seconds) {
  return make(cm, [&] { cm->connect(CmParameters{}, seconds); });
}

CmSocket accept_stream(std::shared_ptr<Cm> cm, double seconds) {
  return make(cm, [&] { cm->accept(CmParameters{}, seconds); });
}

void end_streams() {
  std::lock_guard<std::mutex> lock(pumps_mutex());
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  for (auto &pump : pumps()) {
    while (!pump->done() && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pumps().clear();
}

}  // namespace fabricbench::verbs
