#include "engine/executor.hpp"

#include <unordered_set>

#include "engine/clock.h"

namespace fabricbench {
namespace {

// A list as the loops use it: two pointers in registers.
struct Span {
  Operation *const *begin;
  Operation *const *end;
  explicit Span(const OperationList &list) : begin(list.data()), end(list.data() + list.size()) {}
};

inline void set_current(Context *context, const Operation *operation) {
  __atomic_store_n(&context->current, operation, __ATOMIC_RELAXED);
}

// Runs each operation once. False at the first failure, which `outcome` then holds.
inline __attribute__((always_inline)) bool run(Span span, Context *context, Outcome *outcome) {
  for (Operation *const *next = span.begin; next != span.end; ++next) {
    Operation *operation = *next;
    set_current(context, operation);
    const int32_t code = operation->execute(operation, context);
    if (__builtin_expect(code != 0, 0)) {
      outcome->failed = operation;
      outcome->code = code;
      return false;
    }
  }
  return true;
}

// Between iterations: counts the one that ended. False when another program's failure ends this one.
inline __attribute__((always_inline)) bool next_iteration(Context *context, Outcome *outcome) {
  ++outcome->completed;
  __atomic_store_n(&context->iteration, context->iteration + 1, __ATOMIC_RELAXED);
  if (__builtin_expect(is_cancelled(context), 0)) {
    outcome->code = kOperationCancelled;
    return false;
  }
  return true;
}

// Only timed operations: every read of the clock ends one sample and begins the next.
Outcome run_chained(const ProgramLists &lists, Context *context, uint64_t groups, uint64_t per_sample,
                    double *samples) {
  const Span timed(lists.timed);
  const double period = fb_clock.period;
  Outcome outcome;
  const uint64_t first = fb_ticks();
  uint64_t last = first;
  for (uint64_t group = 0; group < groups; ++group) {
    for (uint64_t i = 0; i < per_sample; ++i) {
      if (!run(timed, context, &outcome) || !next_iteration(context, &outcome)) {
        outcome.ticks = fb_ticks() - first;
        return outcome;
      }
    }
    const uint64_t now = fb_ticks();
    if (samples != nullptr) samples[group] = static_cast<double>(static_cast<int64_t>(now - last)) * period;
    last = now;
  }
  outcome.ticks = last - first;
  return outcome;
}

// With untimed operations each timed part has a read of its own before and after it.
Outcome run_separate(const ProgramLists &lists, Context *context, uint64_t groups, uint64_t per_sample,
                     double *samples) {
  const Span before(lists.before), timed(lists.timed), after(lists.after);
  const double period = fb_clock.period;
  Outcome outcome;
  for (uint64_t group = 0; group < groups; ++group) {
    uint64_t ticks = 0;
    for (uint64_t i = 0; i < per_sample; ++i) {
      if (!run(before, context, &outcome)) return outcome;
      const uint64_t start = fb_ticks();
      if (!run(timed, context, &outcome)) return outcome;
      const uint64_t part = fb_ticks() - start;
      ticks += part;
      outcome.ticks += part;
      if (!run(after, context, &outcome) || !next_iteration(context, &outcome)) return outcome;
    }
    if (samples != nullptr) samples[group] = static_cast<double>(static_cast<int64_t>(ticks)) * period;
  }
  return outcome;
}

}  // namespace

Outcome execute_program(const ProgramLists &lists, Context *context, uint64_t iterations, uint64_t per_sample,
                        double *samples) {
  // Without samples the whole call is one group: a chain of two reads.
  const uint64_t group_size = samples == nullptr ? iterations : per_sample;
  const uint64_t groups = group_size == 0 ? 0 : iterations / group_size;
  const auto loop = lists.has_untimed() ? run_separate : run_chained;
  const Outcome outcome = loop(lists, context, groups, group_size, samples);
  set_current(context, nullptr);
  return outcome;
}

Outcome execute_untimed(const ProgramLists &lists, Context *context, uint64_t iterations) {
  const Span before(lists.before), timed(lists.timed), after(lists.after);
  Outcome outcome;
  while (outcome.completed < iterations) {
    if (!run(before, context, &outcome) || !run(timed, context, &outcome) || !run(after, context, &outcome)) break;
    if (!next_iteration(context, &outcome)) break;
  }
  set_current(context, nullptr);
  return outcome;
}

Outcome execute_list(const OperationList &list, Context *context) {
  Outcome outcome;
  run(Span(list), context, &outcome);
  set_current(context, nullptr);
  return outcome;
}

void reset_operations(const ProgramLists &lists) {
  std::unordered_set<Operation *> seen;
  lists.each([&seen](Operation *operation) {
    if (operation->reset != nullptr && seen.insert(operation).second) operation->reset(operation);
  });
}

}  // namespace fabricbench
