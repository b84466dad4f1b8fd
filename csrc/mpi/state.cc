// When MPI may be called, and what its codes mean.
#include <algorithm>
#include <atomic>

#include "mpi_api.hpp"

namespace fabricbench::mpi {
namespace {

std::atomic<bool> running{false};
std::atomic<bool> closing{false};
int lives = 0;  // that are live
bool ended = false;
int provided_level = MPI_THREAD_SINGLE;
Napi::FunctionReference error_constructor;

// Another library of this process may have started MPI: ask MPI itself, which allows this at any time.
bool started_by_others() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized) return false;
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  begin(*world(), provided);
  return true;
}

struct ClassName {
  int value;
  const char *name;
};

#define FB_CLASS(name) \
  { name, #name }
constexpr ClassName kClassNames[] = {
    FB_CLASS(MPI_SUCCESS),
    FB_CLASS(MPI_ERR_BUFFER),
    FB_CLASS(MPI_ERR_COUNT),
    FB_CLASS(MPI_ERR_TYPE),
    FB_CLASS(MPI_ERR_TAG),
    FB_CLASS(MPI_ERR_COMM),
    FB_CLASS(MPI_ERR_RANK),
    FB_CLASS(MPI_ERR_REQUEST),
    FB_CLASS(MPI_ERR_ROOT),
    FB_CLASS(MPI_ERR_GROUP),
    FB_CLASS(MPI_ERR_OP),
    FB_CLASS(MPI_ERR_TOPOLOGY),
    FB_CLASS(MPI_ERR_DIMS),
    FB_CLASS(MPI_ERR_ARG),
    FB_CLASS(MPI_ERR_UNKNOWN),
    FB_CLASS(MPI_ERR_TRUNCATE),
    FB_CLASS(MPI_ERR_OTHER),
    FB_CLASS(MPI_ERR_INTERN),
    FB_CLASS(MPI_ERR_IN_STATUS),
    FB_CLASS(MPI_ERR_PENDING),
    FB_CLASS(MPI_ERR_KEYVAL),
    FB_CLASS(MPI_ERR_NO_MEM),
    FB_CLASS(MPI_ERR_BASE),
    FB_CLASS(MPI_ERR_INFO),
    FB_CLASS(MPI_ERR_INFO_KEY),
    FB_CLASS(MPI_ERR_INFO_VALUE),
    FB_CLASS(MPI_ERR_INFO_NOKEY),
    FB_CLASS(MPI_ERR_SPAWN),
    FB_CLASS(MPI_ERR_PORT),
    FB_CLASS(MPI_ERR_SERVICE),
    FB_CLASS(MPI_ERR_NAME),
    FB_CLASS(MPI_ERR_WIN),
    FB_CLASS(MPI_ERR_SIZE),
    FB_CLASS(MPI_ERR_DISP),
    FB_CLASS(MPI_ERR_LOCKTYPE),
    FB_CLASS(MPI_ERR_ASSERT),
    FB_CLASS(MPI_ERR_RMA_CONFLICT),
    FB_CLASS(MPI_ERR_RMA_SYNC),
    FB_CLASS(MPI_ERR_RMA_RANGE),
    FB_CLASS(MPI_ERR_RMA_ATTACH),
    FB_CLASS(MPI_ERR_RMA_SHARED),
    FB_CLASS(MPI_ERR_RMA_FLAVOR),
    FB_CLASS(MPI_ERR_FILE),
    FB_CLASS(MPI_ERR_NOT_SAME),
    FB_CLASS(MPI_ERR_AMODE),
    FB_CLASS(MPI_ERR_UNSUPPORTED_DATAREP),
    FB_CLASS(MPI_ERR_UNSUPPORTED_OPERATION),
    FB_CLASS(MPI_ERR_NO_SUCH_FILE),
    FB_CLASS(MPI_ERR_FILE_EXISTS),
    FB_CLASS(MPI_ERR_BAD_FILE),
    FB_CLASS(MPI_ERR_ACCESS),
    FB_CLASS(MPI_ERR_NO_SPACE),
    FB_CLASS(MPI_ERR_QUOTA),
    FB_CLASS(MPI_ERR_READ_ONLY),
    FB_CLASS(MPI_ERR_FILE_IN_USE),
    FB_CLASS(MPI_ERR_DUP_DATAREP),
    FB_CLASS(MPI_ERR_CONVERSION),
    FB_CLASS(MPI_ERR_IO),
#if FB_HAS_MPI4_ERRORS
    FB_CLASS(MPI_ERR_SESSION),
    FB_CLASS(MPI_ERR_VALUE_TOO_LARGE),
    FB_CLASS(MPI_ERR_PROC_ABORTED),
#endif
};
#undef FB_CLASS

const char *own_text(int code) {
  switch (code) {
    case kSlotBusy:
      return "a request slot is still active: complete it (Waitall, Wait, Test) before it is used again";
    case kHandleFreed:
      return "a communicator, group, datatype, window or request array that this operation was bound to has been freed";
    case kFinalized:
      return "MPI_Finalize has been called since this operation was bound";
    case kSessionOver:
      return "the session that this operation was bound in has been finalized";
    default:
      return nullptr;
  }
}

}  // namespace

const LifeOf &world() {
  static const LifeOf life = std::make_shared<Life>();
  return life;
}

bool is_live(const LifeOf &life) { return !life || life->live || (life == world() && !closing && started_by_others()); }

void begin(Life &life, int provided) {
  provided_level = lives == 0 ? provided : std::min(provided_level, provided);
  life.live = true;
  ++lives;
  running = true;
}

void end(Life &life) {
  life.live = false;
  ended = true;
  if (--lives > 0) return;
  running = false;
  provided_level = MPI_THREAD_SINGLE;
}

bool is_running() { return running.load(std::memory_order_relaxed) || (!closing && started_by_others()); }

bool is_over() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return !is_running() && (ended || finalized);
}

bool is_closing() { return closing; }
void set_closing() { closing = true; }
int thread_level() { return provided_level; }

std::string error_text(int code) {
  if (const char *own = own_text(code)) return own;
  if (!running) return "MPI's code " + std::to_string(code);  // MPI puts nothing into words once it is finalized
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "MPI's code " + std::to_string(code);
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\n')) --length;
  return std::string(text, static_cast<size_t>(length));
}

int error_class(int code) {
  if (own_text(code)) return MPI_ERR_OTHER;
  int result = MPI_ERR_UNKNOWN;
  if (running) MPI_Error_class(code, &result);
  return result;
}

std::string class_name(int error_class) {
  for (const ClassName &known : kClassNames) {
    if (known.value == error_class) return known.name;
  }
  return "MPI_ERR_UNKNOWN";
}

void set_error_class(Napi::Function constructor) {
  error_constructor = Napi::Persistent(constructor);
  error_constructor.SuppressDestruct();
}
void forget_error_class() { error_constructor.Reset(); }

Napi::Error make_error(Napi::Env env, const char *operation, int code, const std::string &detail) {
  const int klass = error_class(code);
  const std::string text = detail + error_text(code);
  if (error_constructor.IsEmpty()) return Napi::Error::New(env, std::string(operation) + " failed: " + text);
  auto failure = Napi::Object::New(env);
  failure.Set("operation", operation);
  failure.Set("stackName", "mpi");
  failure.Set("code", code);
  failure.Set("text", text);
  failure.Set("class", klass);
  failure.Set("className", class_name(klass));
  return Napi::Error(env, error_constructor.New({failure}));
}

void fail(Napi::Env env, const char *operation, int code, const std::string &detail) {
  throw make_error(env, operation, code, detail);
}

void check(Napi::Env env, const char *operation, int code, const std::string &detail) {
  if (code != MPI_SUCCESS) fail(env, operation, code, detail);
}

void require_running(Napi::Env env, const char *operation) {
  if (is_running()) return;
  const char *cause = is_over()
                          ? ": MPI has been finalized, and can't be started again in this process"
                          : ": MPI isn't running yet; call MPI.Init_thread(MPI.THREAD_MULTIPLE) or MPI.Init() first";
  throw Napi::Error::New(env, std::string(operation) + cause);
}

}  // namespace fabricbench::mpi
