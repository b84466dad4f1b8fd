// Sessions of MPI-4: MPI without MPI_Init and MPI_COMM_WORLD. Never timed: plain functions.
//
// Before there is a communicator MPI has nowhere to look for an error handler: MPICH 4.0 then ends the process whatever
// handler the session has. So all that can be wrong is found here first.
#include <algorithm>
#include <utility>

#include "engine/ucx_memory.hpp"
#include "register.hpp"
#include "startup.hpp"
#include "windows.hpp"

namespace fabricbench::mpi {

#if FB_HAS_SESSIONS
namespace {

struct Level {
  int value;
  const char *name;
};
constexpr Level kLevels[] = {
    {MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
    {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
    {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
    {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"},
};

// An MPI_Info of ours.
struct Info {
  MPI_Info value = MPI_INFO_NULL;
  Info() = default;
  Info(const Info &) = delete;
  ~Info() {
    if (value != MPI_INFO_NULL) MPI_Info_free(&value);
  }
};

std::string value_of(MPI_Info info, const char *key) {
  char text[MPI_MAX_INFO_VAL + 1] = {};
  int length = sizeof text, there = 0;
  if (MPI_Info_get_string(info, key, &length, text, &there) != MPI_SUCCESS || !there) return "";
  return text;
}

Napi::Value to_object(const Arguments &a, const Info &info) {
  auto result = Napi::Object::New(a.env());
  int length = 0;
  check(a.env(), a.call(), MPI_Info_get_nkeys(info.value, &length));
  for (int i = 0; i < length; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    check(a.env(), a.call(), MPI_Info_get_nthkey(info.value, i, key));
    result.Set(key, value_of(info.value, key));
  }
  return result;
}

// The thread level that a session provides; the lowest where it doesn't tell.
int level_of(MPI_Session session) {
  Info info;
  if (MPI_Session_get_info(session, &info.value) != MPI_SUCCESS) return MPI_THREAD_SINGLE;
  const std::string name = value_of(info.value, "thread_level");
  for (const Level &level : kLevels) {
    if (name == level.name) return level.value;
  }
  return MPI_THREAD_SINGLE;
}

// (required): the thread level stands for MPI's info argument.
Napi::Value session_init(const Napi::CallbackInfo &info) {
  constexpr const char *kCall = "MPI_Session_init";
  const Napi::Env env = info.Env();
  const int required = info[0].IsNumber() ? info[0].As<Napi::Number>().Int32Value() : -1;
  const auto *level = std::find_if(std::begin(kLevels), std::end(kLevels),
                                   [required](const Level &each) { return each.value == required; });
  if (level == std::end(kLevels)) {
    throw Napi::TypeError::New(env, std::string(kCall) + ": required must be a thread level such as MPI.THREAD_SINGLE");
  }
  require_startable(env, kCall);
  Info wanted;
  check(env, kCall, MPI_Info_create(&wanted.value));
  check(env, kCall, MPI_Info_set(wanted.value, "thread_level", level->name));
  auto session = std::make_shared<Session>();
  check(env, kCall, MPI_Session_init(wanted.value, MPI_ERRORS_RETURN, &session->value));
  session->life = std::make_shared<Life>();
  begin(*session->life, level_of(session->value));
  settle_ucx_hooks();
  return wrap<Session>(env, std::move(session));
}

// Communicators, groups and bound operations of the session end with it.
Napi::Value session_finalize(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Session_finalize", Form::kImmediate);
  Session &session = a.handle<Session>("session");
  a.done();
  sweep_requests();
  detach_windows(a.env(), session.life, a.call());
  check(a.env(), a.call(), MPI_Session_finalize(&session.value));
  session.freed = true;
  leave(*session.life, kSessionOver);
  return a.env().Undefined();
}

// {key: value} of what the session is, its thread_level above all.
Napi::Value session_get_info(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Session_get_info", Form::kImmediate);
  const MPI_Session session = a.handle<Session>("session").value;
  a.done();
  Info used;
  check(a.env(), a.call(), MPI_Session_get_info(session, &used.value));
  return to_object(a, used);
}

int count_psets(const Arguments &a, MPI_Session session) {
  int count = 0;
  check(a.env(), a.call(), MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count));
  return count;
}

std::string pset_name(const Arguments &a, MPI_Session session, int n) {
  int length = 0;
  check(a.env(), a.call(), MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, nullptr));
  std::string name(static_cast<size_t>(length), '\0');
  check(a.env(), a.call(), MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name.data()));
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

void require_pset(const Arguments &a, MPI_Session session, const std::string &name) {
  std::string all;
  for (int n = 0; n < count_psets(a, session); ++n) {
    const std::string each = pset_name(a, session, n);
    if (each == name) return;
    all += (all.empty() ? "" : ", ") + each;
  }
  a.refuse_range("there is no process set " + name + ": use one of " + all);
}

Napi::Value session_get_num_psets(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Session_get_num_psets", Form::kImmediate);
  const MPI_Session session = a.handle<Session>("session").value;
  a.done();
  return Napi::Number::New(a.env(), count_psets(a, session));
}

// (session, n)
Napi::Value session_get_nth_pset(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Session_get_nth_pset", Form::kImmediate);
  const MPI_Session session = a.handle<Session>("session").value;
  const int n = a.integer("n");
  a.done();
  const int count = count_psets(a, session);
  if (n < 0 || n >= count) {
    a.refuse_range("n must be below the number of process sets, which is " + std::to_string(count) + ", got " +
                   std::to_string(n));
  }
  return Napi::String::New(a.env(), pset_name(a, session, n));
}

// (session, pset_name): {mpi_size: number of its processes, as text}
Napi::Value session_get_pset_info(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Session_get_pset_info", Form::kImmediate);
  const MPI_Session session = a.handle<Session>("session").value;
  const std::string name = a.text("pset_name");
  a.done();
  require_pset(a, session, name);
  Info used;
  check(a.env(), a.call(), MPI_Session_get_pset_info(session, name.c_str(), &used.value));
  return to_object(a, used);
}

// (session, pset_name)
Napi::Value group_from_session_pset(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Group_from_session_pset", Form::kImmediate);
  const MPI_Session session = a.handle<Session>("session").value;
  const std::string name = a.text("pset_name");
  a.done();
  require_pset(a, session, name);
  MPI_Group group = MPI_GROUP_NULL;
  check(a.env(), a.call(), MPI_Group_from_session_pset(session, name.c_str(), &group));
  return make_group(a.env(), group, a.life());
}

// (group, stringtag): called by the group's processes, and by them alone.
Napi::Value comm_create_from_group(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Comm_create_from_group", Form::kImmediate);
  const MPI_Group group = a.handle<Group>("group").value;
  const std::string tag = a.text("stringtag");
  a.done();
  if (tag.size() >= MPI_MAX_STRINGTAG_LEN) {
    a.refuse_range("stringtag must be shorter than " + std::to_string(MPI_MAX_STRINGTAG_LEN) + " bytes");
  }
  int size = 0, rank = MPI_UNDEFINED;
  check(a.env(), a.call(), MPI_Group_size(group, &size));
  check(a.env(), a.call(), MPI_Group_rank(group, &rank));
  if (size > 0 && rank == MPI_UNDEFINED) a.refuse("this process is no member of the group");
  MPI_Comm comm = MPI_COMM_NULL;
  if (size > 0) {  // MPICH 4.0 makes no MPI_COMM_NULL of an empty group
    const int code = MPI_Comm_create_from_group(group, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    check(a.env(), a.call(), code);
  }
  return make_comm(a.env(), comm, a.life());
}

}  // namespace

void register_sessions(Registry &r) {
  define_class<Session>(r.env, r.exports);
  r.function<session_init>("Session_init");
  r.function<session_finalize>("Session_finalize");
  r.function<session_get_info>("Session_get_info");
  r.function<session_get_num_psets>("Session_get_num_psets");
  r.function<session_get_nth_pset>("Session_get_nth_pset");
  r.function<session_get_pset_info>("Session_get_pset_info");
  r.function<group_from_session_pset>("Group_from_session_pset");
  r.function<comm_create_from_group>("Comm_create_from_group");
}

#else

void register_sessions(Registry &) {}

#endif

}  // namespace fabricbench::mpi
