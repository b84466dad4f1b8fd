// The one place that includes MPI and Node-API, and the process-wide state of MPI as this addon knows it.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // else the addon builds, and fails to load for want of libmpi_cxx
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <napi.h>

#include <memory>
#include <string>

#include "mpi4.hpp"

#ifndef FABRICBENCH_MPI_FAMILY
#define FABRICBENCH_MPI_FAMILY "unknown"
#endif

namespace fabricbench::mpi {

// Codes of our own that an operation may return beside MPI's, which are never negative.
constexpr int kSlotBusy = -1001;     // a request slot still holds an active request
constexpr int kHandleFreed = -1002;  // a handle that it was bound to (a communicator, a window, ...) has been freed
constexpr int kFinalized = -1003;    // MPI_Finalize has run since the operation was bound
constexpr int kSessionOver = -1004;  // the session has been finalized since the operation was bound

// A life of MPI in this process: the world, from MPI_Init to MPI_Finalize, or one session of MPI-4. There may be
// several at once. Communicators and groups remember theirs, since they end with it.
struct Life {
  bool live = false;
};
using LifeOf = std::shared_ptr<Life>;  // null for what belongs to none: MPI_COMM_NULL, MPI_GROUP_EMPTY

const LifeOf &world();
// Asks MPI for the world, which others than this addon may have started.
bool is_live(const LifeOf &life);
// Called by our own functions that start and end one. `provided` is the thread level.
void begin(Life &life, int provided);
void end(Life &life);

// True while anything of MPI lives, whoever started it. MPI aborts the process when it is called outside.
bool is_running();
// True when all that lived has ended. MPI can't be started again then: MPICH 4.0 crashes, and handles of before would
// dangle.
bool is_over();
// True once the JavaScript environment is going away: finalizers must not call MPI any more.
bool is_closing();
void set_closing();
// The thread level that MPI granted: MPI_THREAD_SINGLE before MPI runs.
int thread_level();

// MPI's own text for a code, without MPI's trailing blanks, or ours for the codes above.
std::string error_text(int code);
// The class of a code, and its name, e.g. "MPI_ERR_RANK".
int error_class(int code);
std::string class_name(int error_class);

// Throws MpiError {code, class, className, operation} when `code` is not MPI_SUCCESS. `detail` is put before MPI's
// text.
void check(Napi::Env env, const char *operation, int code, const std::string &detail = "");
[[noreturn]] void fail(Napi::Env env, const char *operation, int code, const std::string &detail = "");
// Builds that error without throwing it.
Napi::Error make_error(Napi::Env env, const char *operation, int code, const std::string &detail = "");
// JavaScript registers its MpiError class here.
void set_error_class(Napi::Function constructor);
void forget_error_class();

// Refuses a call for which MPI isn't in the right state, in one sentence.
void require_running(Napi::Env env, const char *operation);

}  // namespace fabricbench::mpi
