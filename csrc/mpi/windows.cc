#include "windows.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/bytes_js.hpp"
#include "selection.hpp"

namespace fabricbench::mpi {
namespace {

// Every window that exists. Never destroyed at the end of the process, when Node is gone already.
std::unordered_set<std::shared_ptr<Win>> &live_windows() {
  static auto *windows = new std::unordered_set<std::shared_ptr<Win>>();
  return *windows;
}

void finalize_memory(napi_env, void *data, void *) { release_buffer(static_cast<BufferHandle *>(data)); }

// Tags an ArrayBuffer as one that shows memory of a handle, as the engine does with its own.
void bind_handle(Napi::Env env, napi_value array_buffer, BufferHandle *handle) {
  check_status(env, napi_type_tag_object(env, array_buffer, &kBufferTag));
  check_status(env, napi_wrap(env, array_buffer, handle, finalize_memory, nullptr, nullptr));
  hold_buffer(handle);
}

}  // namespace

uint64_t *Win::pending_at(int target) {
  const auto ranks = static_cast<int>(pending.size()) - 1;
  return &pending[static_cast<size_t>(target >= 0 && target < ranks ? target : ranks)];
}

bool Win::in_flight() const {
  if (freed || !is_running()) return false;
  return std::any_of(pending.begin(), pending.end() - 1, [this](uint64_t noted) { return noted >= epoch; });
}

void Win::release_complete() {
  if (!leftovers_.empty() && !in_flight()) leftovers_.clear();
}

void Win::require_target(const Arguments &a, int target, MPI_Aint displacement, const Datatype &type,
                         int64_t count) const {
  if (dynamic || target != rank) return;
  const std::string where = std::string(a.call()) + ": this rank's window";
  require_fit(a.env(), where, bytes, type, count, static_cast<__int128>(displacement) * unit);
}

std::shared_ptr<Win> adopt_window(const Arguments &a, MPI_Win value) {
  MPI_Win_set_errhandler(value, MPI_ERRORS_RETURN);
  auto win = std::make_shared<Win>(a.size());
  win->value = value;
  win->rank = a.rank();
  win->life = a.life();
  live_windows().insert(win);
  note_one_sided(value);
  return win;
}

Napi::Value show_allocated(Napi::Env env, Win &win, void *data, size_t bytes) {
  if (bytes == 0) return Napi::ArrayBuffer::New(env, 0);
  const auto destroy = [](BufferHandle *handle) { delete handle; };
  auto *handle = new BufferHandle{kBufferVersion, sizeof(BufferHandle), data, bytes, 0, 0, destroy};
  hold_buffer(handle);
  win.allocated = handle;
  napi_value array_buffer = nullptr;
  check_status(env, napi_create_external_arraybuffer(env, data, bytes, nullptr, nullptr, &array_buffer));
  bind_handle(env, array_buffer, handle);
  check_status(env, napi_create_reference(env, array_buffer, 1, &win.allocated_reference));
  return Napi::Value(env, array_buffer);
}

uint32_t allocated_users(const Win &win) { return win.allocated ? win.allocated->users : 0; }

void detach_allocated(Napi::Env env, Win &win) {
  if (!win.allocated) return;
  napi_value array_buffer = nullptr;
  if (win.allocated_reference) {
    check_status(env, napi_get_reference_value(env, win.allocated_reference, &array_buffer));
    if (!is_detached(env, array_buffer)) check_status(env, napi_detach_arraybuffer(env, array_buffer));
    napi_delete_reference(env, std::exchange(win.allocated_reference, nullptr));
  }
  win.allocated->data = nullptr;
  win.allocated->byte_length = 0;
  release_buffer(std::exchange(win.allocated, nullptr));
}

void forget_window(Win &win) {
  win.freed = true;
  disable_users(&win);
  win.release_complete();
  win.created.clear();
  win.attached.clear();
  auto &windows = live_windows();
  const auto found =
      std::find_if(windows.begin(), windows.end(), [&win](const auto &each) { return each.get() == &win; });
  if (found != windows.end()) windows.erase(found);
}

void detach_windows(Napi::Env env, const LifeOf &life, const char *call) {
  for (const auto &win : live_windows()) {
    if (win->life != life || allocated_users(*win) == 0) continue;
    throw Napi::Error::New(env, std::string(call) +
                                    ": operations hold the memory of a window that Win_allocate made; release them, "
                                    "then call Win_free");
  }
  for (const auto &win : live_windows()) {
    if (win->life == life) detach_allocated(env, *win);
  }
}

void forget_windows(const Life &life) {
  const auto windows = live_windows();
  for (const auto &win : windows) {
    if (win->life.get() == &life) forget_window(*win);
  }
}

}  // namespace fabricbench::mpi
