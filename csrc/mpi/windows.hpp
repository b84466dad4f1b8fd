// Windows: memory that other ranks may reach, and what stays alive while they do.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "call.hpp"
#include "keeper.hpp"
#include "memory.hpp"

namespace fabricbench::mpi {

// A window lives from its creation until Win_free, even where JavaScript has forgotten it: other ranks may still write
// into its memory.
//
// Put and its kin are complete at this side once a synchronising call covers their target. Each of them notes the
// epoch in `pending` of its target; what completes one target sets that back to 0, and what completes all of them
// begins the next epoch. So the hot path stores one word, and a call in flight keeps its buffers (see `Keeper`).
struct Win final : Keeper {
  static constexpr const char *kClass = "Win";
  static constexpr const char *kWhat = "a window";
  static constexpr napi_type_tag kTag = {0x666277696e000001, 0x2fc71d94be5860a3};

  MPI_Win value = MPI_WIN_NULL;
  LifeOf life = world();  // of its communicator
  int rank = 0;           // of this process among the window's
  bool dynamic = false;   // its memory comes by Win_attach, and displacements are addresses
  size_t bytes = 0;       // that this rank exposes, unless dynamic
  int unit = 1;           // bytes that this rank's displacements count

  uint64_t epoch = 1;
  std::vector<uint64_t> pending;  // one for each rank, and one for all that are no ranks

  explicit Win(int size) : pending(static_cast<size_t>(size) + 1) {}

  uint64_t *pending_at(int target);
  bool in_flight() const override;
  void keep_until_idle(Keep what) override { leftovers_.push_back(std::move(what)); }
  // Lets go of what calls in flight have kept, once none is. JavaScript thread only.
  void release_complete();
  // Refuses elements at a displacement that this rank's own memory does not hold; what others expose is not known.
  void require_target(const Arguments &a, int target, MPI_Aint displacement, const Datatype &type, int64_t count) const;

  // What it exposes, one of these by the way it was created.
  Holds created;
  std::multimap<const void *, Hold> attached;
  BufferHandle *allocated = nullptr;       // MPI's own memory
  napi_ref allocated_reference = nullptr;  // the ArrayBuffer that shows it

 private:
  std::vector<Keep> leftovers_;
};

// Takes a new window over: its errors are returned, and it lives until it is freed.
std::shared_ptr<Win> adopt_window(const Arguments &a, MPI_Win value);
// An ArrayBuffer that shows memory which MPI allocated for a window.
Napi::Value show_allocated(Napi::Env env, Win &win, void *data, size_t bytes);
// How many operations hold the memory that MPI allocated for a window.
uint32_t allocated_users(const Win &win);
// Takes that memory away from JavaScript. Nobody may use it any more.
void detach_allocated(Napi::Env env, Win &win);
// Ends a window that MPI has freed.
void forget_window(Win &win);

// Before a life of MPI ends by `call`: takes the memory of its windows that were not freed away from JavaScript, or
// refuses where operations hold it.
void detach_windows(Napi::Env env, const LifeOf &life, const char *call);
// After it.
void forget_windows(const Life &life);

// How Put and its kin end: later, when the window is synchronised.
struct Synchronised {
  Win *win;
  uint64_t *pending;
  Synchronised(Arguments &a, const std::shared_ptr<Win> &box, int target)
      : win(box.get()), pending(box->pending_at(target)) {
    a.starts(box);
  }
  template <auto kFunction, class... Parameters>
  int call(Parameters... parameters) {
    const int code = kFunction(parameters...);
    if (__builtin_expect(code == MPI_SUCCESS, 1)) note();
    return code;
  }
  // Something was started.
  void note() { *pending = win->epoch; }
};

// How Rput and its kin end: with a request.
struct Requested : Nonblocking {
  Requested(Arguments &a, const std::shared_ptr<Win> &, int) : Nonblocking(a) {}
};

}  // namespace fabricbench::mpi
