// Requests: native slots that operations start and complete, and what must stay alive until they are complete.
#pragma once

#include <memory>
#include <vector>

#include "keeper.hpp"

namespace fabricbench::mpi {

// What the hot path looks at instead of every slot.
struct Activity {
  bool active = false;  // false only when every slot is MPI_REQUEST_NULL
  int persistent = 0;   // slots that keep their request when it completes
  int unstarted = 0;    // those of them that were never started
};

// `length` request slots. A request that JavaScript got from MPI_Isend and its kin is an array of one.
//
// A box that is dropped with communication in flight is not destroyed but retired: it lives on, with all that it
// keeps, until `sweep` finds everything complete. So a buffer in flight is never collected.
struct Requests final : Keeper {
  static constexpr const char *kClass = "RequestArray";
  static constexpr const char *kWhat = "a request";
  static constexpr napi_type_tag kTag = {0x6662726571000001, 0x84d20e5fb93a167c};

  static std::shared_ptr<Requests> make(int length);

  // The slot's buffers, let go by `release_complete` or when the slot is used again.
  void keep(int slot, Keep what) { keeps[static_cast<size_t>(slot)] = std::move(what); }
  void keep_until_idle(Keep what) override { leftovers.push_back(std::move(what)); }
  bool in_flight() const override;
  bool in_use() const override { return in_flight() || (activity.persistent > 0 && is_running()); }
  void release_complete();
  // Gives up the slot's request; it is freed once complete, as MPI_Request_free does.
  void free_slot(Napi::Env env, int slot);
  // Notes that a slot holds a persistent request now, that it was started, and that it holds none any more.
  void make_persistent(int slot);
  void note_start(int slot);
  void forget_persistent(int slot);

  // Looks at every slot: false, and no longer active, when all are MPI_REQUEST_NULL.
  bool still_active();

  int length = 0;
  Activity activity;
  std::unique_ptr<MPI_Request[]> slots;

 private:
  explicit Requests(int length);
  static void retire(Requests *box);
  friend void sweep_requests();
  std::vector<Keep> keeps;
  struct Mark {
    bool persistent = false;
    bool unstarted = false;
  };
  std::vector<Mark> marks;  // of the slots
  std::vector<Keep> leftovers;
};

// The object of a request array; it has a property `length`.
Napi::Object wrap_requests(Napi::Env env, std::shared_ptr<Requests> box);

// Lets go of retired requests that are complete by now. Cheap when there are none.
void sweep_requests();
// How many boxes were dropped with communication in flight and are not complete yet.
size_t retired_requests();
// After MPI_Finalize nothing is in flight any more.
void forget_retired_requests();

}  // namespace fabricbench::mpi
