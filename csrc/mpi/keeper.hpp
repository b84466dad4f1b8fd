// What has communication in flight, and keeps what that needs until it is complete: request arrays and windows.
#pragma once

#include <memory>

#include "handles.hpp"

namespace fabricbench::mpi {

// Whatever a communication in flight needs: its buffers, count arrays and derived types.
using Keep = std::shared_ptr<void>;

struct Keeper : Box {
  virtual bool in_flight() const = 0;
  // True while MPI may still use what was started: in flight, or by the next start of a persistent request.
  virtual bool in_use() const { return in_flight(); }
  // Keeps the buffers of a call that is gone, until nothing is in flight any more.
  virtual void keep_until_idle(Keep what) = 0;

 protected:
  ~Keeper() = default;
};

}  // namespace fabricbench::mpi
