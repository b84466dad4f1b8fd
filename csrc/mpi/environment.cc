// Starting and ending MPI, and what it says about itself.
#include "engine/ucx_memory.hpp"
#include "register.hpp"
#include "startup.hpp"
#include "windows.hpp"

namespace fabricbench::mpi {
namespace {

// What Buffer_attach gave to MPI. Never destroyed at the end of the process, when Node is gone already.
Holds *attached = nullptr;

void let_go_of_attached() {
  delete attached;
  attached = nullptr;
}

void require_world_startable(Napi::Env env, const char *call) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && !finalized) {
    throw Napi::Error::New(env, std::string(call) + ": MPI is running already; start it once");
  }
  require_startable(env, call, finalized != 0);
}

void after_start(Napi::Env env, const char *call, int code, int provided) {
  check(env, call, code);
  begin(*world(), provided);
  settle_ucx_hooks();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

Napi::Value init(const Napi::CallbackInfo &info) {
  require_world_startable(info.Env(), "MPI_Init");
  const int code = MPI_Init(nullptr, nullptr);
  int provided = MPI_THREAD_SINGLE;
  if (code == MPI_SUCCESS) MPI_Query_thread(&provided);
  after_start(info.Env(), "MPI_Init", code, provided);
  return info.Env().Undefined();
}

// (required): the level that MPI provides.
Napi::Value init_thread(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsNumber()) {
    throw Napi::TypeError::New(env, "MPI_Init_thread: required must be a thread level such as MPI.THREAD_MULTIPLE");
  }
  require_world_startable(env, "MPI_Init_thread");
  int provided = MPI_THREAD_SINGLE;
  const int code = MPI_Init_thread(nullptr, nullptr, info[0].As<Napi::Number>().Int32Value(), &provided);
  after_start(env, "MPI_Init_thread", code, provided);
  return Napi::Number::New(env, provided);
}

// Operations bound so far fail from now on, and let go of their buffers.
Napi::Value finalize(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  require_running(env, "MPI_Finalize");
  if (!is_live(world())) {
    throw Napi::Error::New(env, "MPI_Finalize: only sessions are running; end them by Session_finalize");
  }
  sweep_requests();
  detach_windows(env, world(), "MPI_Finalize");
  check(env, "MPI_Finalize", MPI_Finalize());
  leave(*world(), kFinalized);
  return env.Undefined();
}

// Whether MPI may be called: the world is there, or a session.
Napi::Value running(const Napi::CallbackInfo &info) { return Napi::Boolean::New(info.Env(), is_running()); }

Napi::Value initialized(const Napi::CallbackInfo &info) {
  int flag = 0;
  MPI_Initialized(&flag);
  return Napi::Boolean::New(info.Env(), flag != 0);
}

Napi::Value finalized(const Napi::CallbackInfo &info) {
  int flag = 0;
  MPI_Finalized(&flag);
  return Napi::Boolean::New(info.Env(), flag != 0);
}

Napi::Value query_thread(const Napi::CallbackInfo &info) {
  require_running(info.Env(), "MPI_Query_thread");
  int provided = 0;
  check(info.Env(), "MPI_Query_thread", MPI_Query_thread(&provided));
  return Napi::Number::New(info.Env(), provided);
}

Napi::Value get_library_version(const Napi::CallbackInfo &info) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return Napi::String::New(info.Env(), text);
}

Napi::Value get_version(const Napi::CallbackInfo &info) {
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  auto result = Napi::Object::New(info.Env());
  result.Set("version", Napi::Number::New(info.Env(), version));
  result.Set("subversion", Napi::Number::New(info.Env(), subversion));
  return result;
}

Napi::Value get_processor_name(const Napi::CallbackInfo &info) {
  require_running(info.Env(), "MPI_Get_processor_name");
  char text[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  check(info.Env(), "MPI_Get_processor_name", MPI_Get_processor_name(text, &length));
  return Napi::String::New(info.Env(), text);
}

Napi::Value wtime(const Napi::CallbackInfo &info) {
  require_running(info.Env(), "MPI_Wtime");
  return Napi::Number::New(info.Env(), MPI_Wtime());
}

Napi::Value wtick(const Napi::CallbackInfo &info) {
  require_running(info.Env(), "MPI_Wtick");
  return Napi::Number::New(info.Env(), MPI_Wtick());
}

Napi::Value error_string(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Error_string", Form::kImmediate);
  const int code = a.integer("errorcode");
  a.done();
  return Napi::String::New(a.env(), error_text(code));
}

Napi::Value error_class_of(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Error_class", Form::kImmediate);
  const int code = a.integer("errorcode");
  a.done();
  return Napi::Number::New(a.env(), error_class(code));
}

// (buffer): all of it is MPI's for buffered sends, and stays alive, until Buffer_detach or Finalize.
Napi::Value buffer_attach(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Buffer_attach", Form::kImmediate);
  const RawData buffer = a.buffer("buffer");
  a.done();
  if (buffer.in_place || !buffer.data) a.refuse("buffer must be memory");
  if (buffer.bytes > INT32_MAX) a.refuse_range("a buffer for buffered sends has less than 2 GiB");
  auto hold = std::make_unique<Holds>(a.hold());
  check(a.env(), a.call(), MPI_Buffer_attach(buffer.data, static_cast<int>(buffer.bytes)));
  let_go_of_attached();
  attached = hold.release();
  return a.env().Undefined();
}

// Waits until all buffered messages are delivered; returns what was attached.
Napi::Value buffer_detach(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Buffer_detach", Form::kImmediate);
  a.done();
  void *address = nullptr;
  int size = 0;
  check(a.env(), a.call(), MPI_Buffer_detach(&address, &size));
  const Napi::Value result = attached ? attached->front().value() : a.env().Undefined();
  let_go_of_attached();
  return result;
}

}  // namespace

void leave(Life &life, int code) {
  end(life);
  forget_windows(life);
  if (is_running()) {
    disable_life(life, code);
    return;
  }
  forget_retired_requests();
  disable_all(code);
  let_go_of_attached();
}

void register_environment(Registry &r) {
  r.function<init>("Init");
  r.function<init_thread>("Init_thread");
  r.function<finalize>("Finalize");
  r.function<initialized>("Initialized");
  r.function<finalized>("Finalized");
  r.function<running>("running");
  r.function<query_thread>("Query_thread");
  r.function<get_library_version>("Get_library_version");
  r.function<get_version>("Get_version");
  r.function<get_processor_name>("Get_processor_name");
  r.function<wtime>("Wtime");
  r.function<wtick>("Wtick");
  r.function<error_string>("Error_string");
  r.function<error_class_of>("Error_class");
  r.function<buffer_attach>("Buffer_attach");
  r.function<buffer_detach>("Buffer_detach");
}

}  // namespace fabricbench::mpi
