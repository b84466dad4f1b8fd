// Creating and freeing windows: collective, and never timed.
#include "register.hpp"
#include "windows.hpp"

namespace fabricbench::mpi {
namespace {

// Longest memory that one ArrayBuffer shows in every Node of today.
constexpr int64_t kMostShown = int64_t{1} << 32;

int64_t read_size(Arguments &a) {
  const int64_t size = a.count("size");
  if (size < 0) a.refuse_range("size must not be negative, got " + std::to_string(size));
  return size;
}

// (base, size, disp_unit, comm), size in bytes
Napi::Value win_create(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_create", Form::kImmediate);
  const RawData base = a.buffer("base");
  const int64_t size = read_size(a);
  const int unit = a.integer("disp_unit");
  const MPI_Comm comm = a.comm();
  a.done();
  a.require_memory(base, size);
  Holds holds = a.hold();
  MPI_Win value = MPI_WIN_NULL;
  check(a.env(), a.call(), MPI_Win_create(base.data, size, unit, MPI_INFO_NULL, comm, &value));
  const auto win = adopt_window(a, value);
  win->bytes = static_cast<size_t>(size);
  win->unit = unit;
  win->created = std::move(holds);
  return wrap<Win>(a.env(), win);
}

// (size, disp_unit, comm): {win, memory}
Napi::Value win_allocate(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_allocate", Form::kImmediate);
  const int64_t size = read_size(a);
  const int unit = a.integer("disp_unit");
  const MPI_Comm comm = a.comm();
  a.done();
  if (size > kMostShown) {
    a.refuse_range("JavaScript can show at most " + std::to_string(kMostShown) + " bytes in one piece, not " +
                   std::to_string(size) + ": use Win_create and an EngineBuffer");
  }
  MPI_Win value = MPI_WIN_NULL;
  void *data = nullptr;
  check(a.env(), a.call(), MPI_Win_allocate(size, unit, MPI_INFO_NULL, comm, &data, &value));
  const auto win = adopt_window(a, value);
  win->bytes = static_cast<size_t>(size);
  win->unit = unit;
  auto result = Napi::Object::New(a.env());
  result.Set("win", wrap<Win>(a.env(), win));
  result.Set("memory", show_allocated(a.env(), *win, data, win->bytes));
  return result;
}

Napi::Value win_create_dynamic(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_create_dynamic", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  MPI_Win value = MPI_WIN_NULL;
  check(a.env(), a.call(), MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &value));
  const auto win = adopt_window(a, value);
  win->dynamic = true;
  return wrap<Win>(a.env(), win);
}

void require_dynamic(const Arguments &a, const Win &win) {
  if (!win.dynamic) a.refuse("win must come from Win_create_dynamic: others have their memory from the beginning");
}

// (win, base, size): the memory stays alive until it is detached or the window is freed.
Napi::Value win_attach(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_attach", Form::kImmediate);
  Win &win = a.handle<Win>("win");
  const RawData base = a.buffer("base");
  const int64_t size = read_size(a);
  a.done();
  require_dynamic(a, win);
  a.require_memory(base, size);
  Holds holds = a.hold();
  check(a.env(), a.call(), MPI_Win_attach(win.value, base.data, size));
  for (Hold &hold : holds) win.attached.emplace(base.data, std::move(hold));
  return a.env().Undefined();
}

// (win, base)
Napi::Value win_detach(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_detach", Form::kImmediate);
  Win &win = a.handle<Win>("win");
  const RawData base = a.buffer("base");
  a.done();
  require_dynamic(a, win);
  const auto found = win.attached.find(base.data);
  if (found == win.attached.end()) a.refuse("base is not attached to this window");
  check(a.env(), a.call(), MPI_Win_detach(win.value, base.data));
  win.attached.erase(found);
  return a.env().Undefined();
}

// (location): an address as a displacement in dynamic windows
Napi::Value get_address(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Get_address", Form::kImmediate);
  const RawData location = a.buffer("location");
  a.done();
  if (location.in_place) a.refuse("location can't be IN_PLACE here");
  MPI_Aint address = 0;
  check(a.env(), a.call(), MPI_Get_address(location.data, &address));
  if (address > MPI_Aint{9007199254740991}) a.refuse_range("the address is above JavaScript's safe integers");
  return Napi::Number::New(a.env(), static_cast<double>(address));
}

Napi::Value win_get_group(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_get_group", Form::kImmediate);
  const MPI_Win win = a.handle<Win>("win").value;
  a.done();
  MPI_Group group = MPI_GROUP_NULL;
  check(a.env(), a.call(), MPI_Win_get_group(win, &group));
  return make_group(a.env(), group, a.life());
}

// Open MPI 4.1's component ucx crashes when it frees a window to which several pieces are attached. Others may be at
// them until the fence has them all.
void detach_attached(const Arguments &a, Win &win) {
  check(a.env(), a.call(), MPI_Win_fence(MPI_MODE_NOSUCCEED, win.value));
  for (const auto &each : win.attached) check(a.env(), a.call(), MPI_Win_detach(win.value, each.first));
  win.attached.clear();
}

// Memory that MPI allocated is taken from JavaScript before it goes. Operations bound to the window fail from now on.
Napi::Value win_free(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Win_free", Form::kImmediate);
  const auto win = a.shared_handle<Win>("win");
  a.done();
  const std::string call = a.call();
  if (win->in_flight()) {
    throw Napi::Error::New(a.env(), call +
                                        ": operations on the window are in flight; complete them first (Win_unlock, "
                                        "Win_flush, Win_fence, Win_complete)");
  }
  if (const uint32_t users = allocated_users(*win)) {
    const std::string who = users == 1 ? "an operation holds" : std::to_string(users) + " operations hold";
    throw Napi::Error::New(a.env(), call + ": " + who + " the window's memory; release first");
  }
  if (win->dynamic) detach_attached(a, *win);
  detach_allocated(a.env(), *win);
  MPI_Win value = win->value;
  check(a.env(), a.call(), MPI_Win_free(&value));
  forget_window(*win);
  return a.env().Undefined();
}

}  // namespace

void register_windows(Registry &r) {
  define_class<Win>(r.env, r.exports);
  r.function<win_create>("Win_create");
  r.function<win_allocate>("Win_allocate");
  r.function<win_create_dynamic>("Win_create_dynamic");
  r.function<win_attach>("Win_attach");
  r.function<win_detach>("Win_detach");
  r.function<win_get_group>("Win_get_group");
  r.function<win_free>("Win_free");
  r.function<get_address>("Get_address");
}

}  // namespace fabricbench::mpi
