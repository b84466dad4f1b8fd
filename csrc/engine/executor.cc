#include "engine/executor.hpp"

#include <unordered_set>

#include "engine/clock.h"

namespace fabricbench {
namespace {

// The function is copied beside its operation, which saves the loops a load that depends on another. It can't change
// while they run: only operations that no run holds are released.
struct Step {
  int32_t (*execute)(Operation *self, Context *context);
  Operation *operation;
};

// A list as the loops use it. A step without a function ends it, so that one pointer is enough to walk along.
class Steps {
 public:
  explicit Steps(const OperationList &list) {
    steps_.reserve(list.size() + 1);
    for (Operation *operation : list) steps_.push_back({operation->execute, operation});
    steps_.push_back({nullptr, nullptr});
  }
  const Step *first() const { return steps_.data(); }

 private:
  std::vector<Step> steps_;
};

// One call of the executor. It stays in memory, which leaves the loops their few registers for what changes with every
// operation.
struct Call {
  Steps before, timed, after;
  uint64_t group_size = 0;      // iterations that share a sample
  uint64_t end = 0;             // the iteration before which the call ends
  double unwanted = 0;          // takes what is no sample
  double *sample = &unwanted;   // where the next duration goes: first comes the lead-in's
  double *samples = &unwanted;  // and those after it
  uint64_t first = 0;           // read of the clock
  uint64_t ticks = 0;           // sum of the timed parts
};

inline void set_current(Context *context, const Operation *operation) {
  __atomic_store_n(&context->current, operation, __ATOMIC_RELAXED);
}

// Runs each step once. Returns the code of the first that fails, which stays the context's current one, or 0.
inline __attribute__((always_inline)) int32_t run(const Steps &steps, Context *context) {
  for (const Step *next = steps.first();; ++next) {
    const Step step = *next;
    if (step.execute == nullptr) return 0;
    set_current(context, step.operation);
    const int32_t code = step.execute(step.operation, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
}

// Between iterations: counts the one that ended. Not 0 when another program's failure ends this one.
inline __attribute__((always_inline)) int32_t next_iteration(Context *context) {
  __atomic_store_n(&context->iteration, context->iteration + 1, __ATOMIC_RELAXED);
  if (__builtin_expect(!is_cancelled(context), 1)) return 0;
  set_current(context, nullptr);
  return kOperationCancelled;
}

// Where the duration of the group that ended goes.
inline double *take_sample(Call *call) {
  double *sample = call->sample;
  call->sample = call->samples;
  if (call->samples != &call->unwanted) ++call->samples;
  return sample;
}

// Only timed operations: every read of the clock ends one sample and begins the next. The first group of iterations, up
// to `group_end`, is the lead-in: it goes through the very same instructions, so that the first sample finds code,
// caches and branches as all others do.
int32_t run_chained(Call *call, Context *context, uint64_t group_end) {
  for (uint64_t last = 0;; group_end += call->group_size) {
    while (context->iteration != group_end) {
      if (const int32_t code = run(call->timed, context)) return code;
      if (const int32_t code = next_iteration(context)) return code;
    }
    const uint64_t now = fb_ticks();
    *take_sample(call) = fb_seconds(now - last);
    if (last == 0) call->first = now;
    if (group_end == call->end) {
      call->ticks = now - call->first;
      return 0;
    }
    last = now;
  }
}

// With untimed operations each timed part has a read of its own before and after it.
int32_t run_separate(Call *call, Context *context, uint64_t group_end) {
  for (bool lead_in = true;; group_end += call->group_size, lead_in = false) {
    uint64_t ticks = 0;
    while (context->iteration != group_end) {
      if (const int32_t code = run(call->before, context)) return code;
      const uint64_t start = fb_ticks();
      if (const int32_t code = run(call->timed, context)) return code;
      ticks += fb_ticks() - start;
      if (const int32_t code = run(call->after, context)) return code;
      if (const int32_t code = next_iteration(context)) return code;
    }
    *take_sample(call) = fb_seconds(ticks);
    if (!lead_in) call->ticks += ticks;
    if (group_end == call->end) return 0;
  }
}

// How an execution with this code ended.
Outcome end_execution(Context *context, int32_t code) {
  Outcome outcome;
  outcome.code = code;
  if (code != 0) outcome.failed = context->current;
  set_current(context, nullptr);
  return outcome;
}

}  // namespace

Outcome execute_program(const ProgramLists &lists, Context *context, uint64_t lead_in, uint64_t iterations,
                        uint64_t per_sample, double *samples) {
  const uint64_t begin = context->iteration;
  Call call = {Steps(lists.before), Steps(lists.timed), Steps(lists.after)};
  // Without samples the whole call is one group: a chain of two reads.
  call.group_size = samples == nullptr ? iterations : per_sample;
  call.end = begin + lead_in + iterations;
  if (samples != nullptr) call.samples = samples;
  const auto loop = lists.has_untimed() ? run_separate : run_chained;
  Outcome outcome = end_execution(context, loop(&call, context, begin + lead_in));
  outcome.completed = context->iteration - begin;
  outcome.ticks = call.ticks;
  return outcome;
}

Outcome execute_untimed(const ProgramLists &lists, Context *context, uint64_t iterations) {
  return execute_program(lists, context, iterations, 0, 1, nullptr);
}

Outcome execute_list(const OperationList &list, Context *context) {
  return end_execution(context, run(Steps(list), context));
}

void reset_operations(const ProgramLists &lists) {
  std::unordered_set<Operation *> seen;
  lists.each([&seen](Operation *operation) {
    if (operation->reset != nullptr && seen.insert(operation).second) operation->reset(operation);
  });
}

}  // namespace fabricbench
