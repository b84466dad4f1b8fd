#include "engine/shm_segments.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

namespace fabricbench {
namespace {

constexpr const char *kFolder = "/dev/shm";

std::string random_path() {
  std::random_device random;
  std::string path = std::string(kFolder) + "/fabricbench-";
  constexpr const char *kDigits = "0123456789abcdef";
  for (int i = 0; i < 24; ++i) path += kDigits[random() % 16];
  return path;
}

std::string problem(const std::string &what) { return what + ": " + strerror(errno); }

}  // namespace

ShmSegments::ShmSegments(uint32_t rank, uint32_t ranks)
    : rank_(rank), ranks_(ranks), path_(random_path()), files_(ranks, -1) {
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) throw problem(std::string("no file can be made in ") + kFolder);
  files_[rank_] = file;
  if (ftruncate(file, static_cast<off_t>(sizeof(ShmRing)) * kShmLines * ranks_) == 0) return;
  const std::string text = problem(std::string("no file can be made in ") + kFolder);
  unlink();
  ::close(file);
  throw text;
}

ShmSegments::~ShmSegments() {
  unlink();
  for (const auto &[key, mapped] : lines_) {
    munmap(mapped.out, sizeof(ShmRing));
    munmap(mapped.in, sizeof(ShmRing));
  }
  for (const int file : files_) {
    if (file >= 0) ::close(file);
  }
}

void ShmSegments::open(const std::vector<std::string> &paths) {
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    files_[rank] = ::open(paths[rank].c_str(), O_RDWR | O_CLOEXEC);
    if (files_[rank] < 0) throw problem("the memory of rank " + std::to_string(rank) + " can't be opened");
  }
}

void ShmSegments::unlink() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

ShmLine &ShmSegments::line(uint32_t peer, uint32_t index) {
  const auto known = lines_.find({peer, index});
  if (known != lines_.end()) return *known->second.line;
  ShmRing *out = map(peer, rank_, index);
  ShmRing *in;
  try {
    in = map(rank_, peer, index);
  } catch (...) {
    munmap(out, sizeof(ShmRing));
    throw;
  }
  Mapped &mapped = lines_[{peer, index}];
  mapped = {out, in, std::make_unique<ShmLine>(out, in)};
  return *mapped.line;
}

// The ring in which messages from one rank come to the owner. Its pages are there when this returns: a full /dev/shm
// would end the process at the first access.
ShmRing *ShmSegments::map(uint32_t owner, uint32_t from, uint32_t index) {
  const off_t offset = static_cast<off_t>(sizeof(ShmRing)) * (static_cast<off_t>(from) * kShmLines + index);
  const int error = posix_fallocate(files_[owner], offset, sizeof(ShmRing));
  if (error != 0) {
    errno = error;
    throw problem(std::string(kFolder) + " has no room for a channel of " + std::to_string(sizeof(ShmRing)) + " bytes");
  }
  void *memory =
      mmap(nullptr, sizeof(ShmRing), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, files_[owner], offset);
  if (memory == MAP_FAILED) throw problem("shared memory can't be mapped");
  return static_cast<ShmRing *>(memory);
}

}  // namespace fabricbench
