// Files in /dev/shm that hold the rings of shared-memory lines. No JavaScript in here.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/shm.hpp"

namespace fabricbench {

// Lines between two ranks at the same time.
constexpr uint32_t kShmLines = 16;

// The segments of all ranks of one host. A rank's holds what comes to it. Pages come into being when a line first needs
// them. Where something fails they throw std::string, a sentence.
class ShmSegments {
 public:
  // Makes this rank's file, with a name of its own.
  ShmSegments(uint32_t rank, uint32_t ranks);
  ~ShmSegments();
  ShmSegments(const ShmSegments &) = delete;
  ShmSegments &operator=(const ShmSegments &) = delete;

  const std::string &path() const { return path_; }
  // Opens the others' files, by rank.
  void open(const std::vector<std::string> &paths);
  // Takes the file's name away: once all have it open nothing is left behind, whatever happens.
  void unlink();
  // The line to a peer, made when it is first asked for.
  ShmLine &line(uint32_t peer, uint32_t index);

 private:
  struct Mapped {
    ShmRing *out, *in;
    std::unique_ptr<ShmLine> line;
  };
  ShmRing *map(uint32_t owner, uint32_t from, uint32_t index);

  const uint32_t rank_, ranks_;
  std::string path_;
  std::vector<int> files_;  // by rank
  std::map<std::pair<uint32_t, uint32_t>, Mapped> lines_;
};

}  // namespace fabricbench
