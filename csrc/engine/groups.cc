// Operations that run other operations, and the release of all operations.
#include <napi.h>

#include <string>
#include <vector>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/executor.hpp"
#include "engine/own_operations.hpp"
#include "engine/turn.hpp"

namespace fabricbench {
namespace {

struct Group : Operation {
  ProgramLists lists;  // only `timed`; the test of an `until` comes first
  uint64_t times = 1;  // of a repetition, or of what an `until` does before each test
  Turn turn{1};        // of a rotation
  // Of a collection: what it notes, and when the first was done; from and to are seconds after that.
  double *notes = nullptr;
  uint64_t first = 0;
  double from = 0, to = 0;
};

// Places in `notes`.
enum { kCount, kCounted, kFirstCounted, kLastCounted };

// Runs one operation of a group. A failure is then that operation's, and so is a standstill that the watchdog sees.
inline __attribute__((always_inline)) int32_t run_inner(Operation *operation, Context *context) {
  __atomic_store_n(&context->current, operation, __ATOMIC_RELAXED);
  return operation->execute(operation, context);
}

int32_t execute_repeat(Operation *self, Context *context) {
  const auto *repeat = static_cast<Group *>(self);
  for (uint64_t i = 0; i < repeat->times; ++i) {
    for (Operation *operation : repeat->lists.timed) {
      if (const int32_t code = run_inner(operation, context)) return code;
    }
    if (is_cancelled(context)) return kOperationCancelled;
  }
  return 0;
}

// Runs the others `times` times, and then the test, until it is no longer pending.
int32_t execute_until(Operation *self, Context *context) {
  const auto *until = static_cast<Group *>(self);
  Operation *const *first = until->lists.timed.data();
  Operation *const *end = first + until->lists.timed.size();
  for (;;) {
    for (uint64_t i = 0; i < until->times; ++i) {
      for (Operation *const *next = first + 1; next != end; ++next) {
        if (const int32_t code = run_inner(*next, context)) return code;
      }
    }
    const int32_t code = run_inner(*first, context);
    if (code != kOperationPending) return code;
    if (__builtin_expect(is_cancelled(context), 0)) return kOperationCancelled;
  }
}

int32_t execute_rotate(Operation *self, Context *context) {
  auto *rotate = static_cast<Group *>(self);
  return run_inner(rotate->lists.timed[rotate->turn.of(context->iteration)], context);
}

// One that was done now: it is counted, and timed where it came within the window.
inline void note_done(Group *group) {
  const uint64_t now = fb_ticks();
  if (group->notes[kCount]++ == 0) group->first = now;
  const double seconds = fb_seconds(now - group->first);
  if (seconds < group->from || seconds >= group->to) return;
  if (group->notes[kCounted]++ == 0) group->notes[kFirstCounted] = seconds;
  group->notes[kLastCounted] = seconds;
}

// Runs the test until it is pending.
int32_t execute_collect(Operation *self, Context *context) {
  auto *group = static_cast<Group *>(self);
  for (;;) {
    const int32_t code = run_inner(group->lists.timed[0], context);
    if (code == 0)
      note_done(group);
    else if (code != kOperationPending)
      return code;
    if (__builtin_expect(is_cancelled(context), 0)) return kOperationCancelled;
    if (code != 0) return 0;
  }
}

void let_go_of_operations(Group *group) {
  for (Operation *operation : group->lists.timed) release_operation(operation);
  group->lists.timed.clear();
}

// Also what tells a group from all other operations.
void destroy_group(Operation *self) {
  let_go_of_operations(static_cast<Group *>(self));
  delete static_cast<Group *>(self);
}

// Makes a group that holds `functions`, and `holds` beside them, and runs on any thread if all of them do. `prepare`
// fills in the rest.
template <typename Prepare>
Napi::Value make_group(Napi::Env env, const char *name, int32_t (*execute)(Operation *, Context *),
                       const Napi::Array &functions, Prepare prepare, std::vector<napi_value> holds = {}) {
  auto *group = new_operation<Group>(name, execute);
  group->reset = [](Operation *self) { reset_operations(static_cast<Group *>(self)->lists); };
  group->destroy = destroy_group;
  try {
    prepare(group);
    for (uint32_t i = 0; i < functions.Length(); ++i) {
      const Napi::Value function = functions[i];
      Operation *inner = unwrap_operation(env, function, "operations[" + std::to_string(i) + "]");
      hold_operation(inner);
      group->lists.timed.push_back(inner);
      group->flags &= inner->flags;
      holds.push_back(function);
    }
  } catch (...) {
    destroy_group(group);
    throw;
  }
  return wrap_operation(env, group, holds);
}

// repeat(operations, times)
Napi::Value repeat(const Napi::CallbackInfo &info) {
  return make_group(info.Env(), "repeat", execute_repeat, info[0].As<Napi::Array>(),
                    [&](Group *group) { group->times = integer(info[1]); });
}

// until(operations: the test and then the others, every)
Napi::Value until(const Napi::CallbackInfo &info) {
  return make_group(info.Env(), "until", execute_until, info[0].As<Napi::Array>(),
                    [&](Group *group) { group->times = integer(info[1]); });
}

// rotate(operations), at least one
Napi::Value rotate(const Napi::CallbackInfo &info) {
  const auto functions = info[0].As<Napi::Array>();
  return make_group(info.Env(), "rotate", execute_rotate, functions,
                    [&](Group *group) { group->turn = Turn(functions.Length()); });
}

// collect(operations: the test alone, notes: Float64Array, from, to)
Napi::Value collect(const Napi::CallbackInfo &info) {
  fb_clock_calibrate();
  const auto prepare = [&](Group *group) {
    group->notes = static_cast<double *>(bytes_of(info.Env(), info[1], "the notes").data);
    group->from = info[2].As<Napi::Number>().DoubleValue();
    group->to = info[3].As<Napi::Number>().DoubleValue();
  };
  return make_group(info.Env(), "collect", execute_collect, info[0].As<Napi::Array>(), prepare, {info[1]});
}

// releaseOperation(operation): lets go of its buffers and everything else that it holds; it can't run any more
void release(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  Operation *operation = unwrap_operation(env, info[0], "the operation");
  if (operation->users != 0) {
    throw Napi::Error::New(env, std::string(operation->name) +
                                    " belongs to a run or to another operation: finish the run, or release that first");
  }
  if (operation->destroy == destroy_group) let_go_of_operations(static_cast<Group *>(operation));
  operation->released = 1;
  operation->execute = detail::execute_released;
  operation->reset = nullptr;
  detail::let_go_of_buffers(operation);
  detail::hold_values(env, info[0], {});
}

}  // namespace

void export_groups(Napi::Env env, Napi::Object exports) {
  exports.Set("repeat", Napi::Function::New(env, repeat));
  exports.Set("until", Napi::Function::New(env, until));
  exports.Set("collect", Napi::Function::New(env, collect));
  exports.Set("rotate", Napi::Function::New(env, rotate));
  exports.Set("releaseOperation", Napi::Function::New(env, release));
}

}  // namespace fabricbench
