#include "engine/executor.hpp"

#include <unordered_set>
#include <utility>

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
  uint64_t *split = nullptr;    // sums of each timed step, where they are wanted
  uint64_t ticks = 0;           // sum of the timed parts
};

inline void set_current(Context *context, const Operation *operation) {
  __atomic_store_n(&context->current, operation, __ATOMIC_RELAXED);
}

// Runs one step. Returns its code; a failed one stays the context's current one.
inline __attribute__((always_inline)) int32_t run_step(const Step &step, Context *context) {
  set_current(context, step.operation);
  return step.execute(step.operation, context);
}

// Runs each step once. Returns the code of the first that fails, or 0.
inline __attribute__((always_inline)) int32_t run(const Steps &steps, Context *context) {
  for (const Step *next = steps.first(); next->execute != nullptr; ++next) {
    const int32_t code = run_step(*next, context);
    if (__builtin_expect(code != 0, 0)) return code;
  }
  return 0;
}

template <size_t... kIndex>
inline __attribute__((always_inline)) int32_t run_each(const Step *steps, Context *context,
                                                       std::index_sequence<kIndex...>) {
  int32_t code = 0;
  (void)(... && ((code = run_step(steps[kIndex], context)) == 0));
  return code;
}

// The timed steps. Lists of known length have a call instruction for each step, as a C program has: the processor
// predicts where it leads from the instruction alone, while one call in a loop is predicted from what ran before it,
// and that is a poll of unforeseeable length. 0 stands for any length.
template <size_t kLength>
inline __attribute__((always_inline)) int32_t run_timed(const Call *call, Context *context) {
  if constexpr (kLength == 0) {
    return run(call->timed, context);
  } else {
    return run_each(call->timed.first(), context, std::make_index_sequence<kLength>{});
  }
}

inline int32_t cancelled(Context *context) {
  set_current(context, nullptr);
  return kOperationCancelled;
}

// Between iterations: counts the one that ended. Not 0 when another program's failure ends this one.
inline __attribute__((always_inline)) int32_t next_iteration(Context *context) {
  __atomic_store_n(&context->iteration, context->iteration + 1, __ATOMIC_RELAXED);
  return __builtin_expect(is_cancelled(context), 0) ? cancelled(context) : 0;
}

// Where the duration of the group that ended goes.
inline double *take_sample(Call *call) {
  double *sample = call->sample;
  call->sample = call->samples;
  if (call->samples != &call->unwanted) ++call->samples;
  return sample;
}

// Only timed operations: every read of the clock ends one sample and begins the next. The first group of iterations, up
// to `group_end`, is the lead-in.
template <size_t kLength>
int32_t run_chained(Call *call, Context *context, uint64_t group_end) {
  for (uint64_t last = 0;; group_end += call->group_size) {
    while (context->iteration != group_end) {
      if (const int32_t code = run_timed<kLength>(call, context)) return code;
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

// What benchmarks run most: only timed operations, and a sample for each iteration. The same as run_chained, with all
// that changes in registers: between the end of one ping-pong and the next every instruction is part of the figure.
template <size_t kLength>
int32_t run_sampled(Call *call, Context *context, double *sample, uint64_t end) {
  uint64_t iteration = context->iteration;
  call->first = fb_ticks();
  uint64_t last = call->first;
  while (iteration != end) {
    if (const int32_t code = run_timed<kLength>(call, context)) return code;
    __atomic_store_n(&context->iteration, ++iteration, __ATOMIC_RELAXED);
    if (__builtin_expect(is_cancelled(context), 0)) return cancelled(context);
    const uint64_t now = fb_ticks();
    *sample++ = fb_seconds(now - last);
    last = now;
  }
  call->ticks = last - call->first;
  return 0;
}

// The lead-in goes through the very same instructions, so that the first sample finds code, caches and branches as all
// others do.
template <size_t kLength>
int32_t run_sampled_after_lead_in(Call *call, Context *context, uint64_t lead_in_end) {
  std::vector<double> unwanted(lead_in_end - context->iteration);
  if (const int32_t code = run_sampled<kLength>(call, context, unwanted.data(), lead_in_end)) return code;
  return run_sampled<kLength>(call, context, call->samples, call->end);
}

// With untimed operations each timed part has a read of its own before and after it.
template <size_t kLength>
int32_t run_separate(Call *call, Context *context, uint64_t group_end) {
  for (bool lead_in = true;; group_end += call->group_size, lead_in = false) {
    uint64_t ticks = 0;
    while (context->iteration != group_end) {
      if (const int32_t code = run(call->before, context)) return code;
      const uint64_t start = fb_ticks();
      if (const int32_t code = run_timed<kLength>(call, context)) return code;
      ticks += fb_ticks() - start;
      if (const int32_t code = run(call->after, context)) return code;
      if (const int32_t code = next_iteration(context)) return code;
    }
    *take_sample(call) = fb_seconds(ticks);
    if (!lead_in) call->ticks += ticks;
    if (group_end == call->end) return 0;
  }
}

// The timed steps with a read of the clock after each, added to its sum. Returns the last read in `*last`.
template <size_t... kIndex>
inline __attribute__((always_inline)) int32_t run_and_split(const Step *steps, Context *context, uint64_t *sums,
                                                            uint64_t *last, std::index_sequence<kIndex...>) {
  int32_t code = 0;
  const auto run_one = [&](size_t index) __attribute__((always_inline)) {
    code = run_step(steps[index], context);
    const uint64_t now = fb_ticks();
    sums[index] += now - *last;
    *last = now;
    return code == 0;
  };
  (void)(... && run_one(kIndex));
  return code;
}

int32_t run_and_split_all(const Step *steps, Context *context, uint64_t *sums, uint64_t *last) {
  for (size_t index = 0; steps[index].execute != nullptr; ++index) {
    if (const int32_t code = run_and_split(steps + index, context, sums + index, last, std::make_index_sequence<1>{})) {
      return code;
    }
  }
  return 0;
}

// As run_separate, with sums of each step of the timed part.
template <size_t kLength>
int32_t run_split(Call *call, Context *context, uint64_t group_end) {
  size_t length = 0;
  while (call->timed.first()[length].execute != nullptr) ++length;
  std::vector<uint64_t> unwanted(length);  // of the lead-in
  uint64_t *sums = unwanted.data();
  for (bool lead_in = true;; group_end += call->group_size, lead_in = false, sums = call->split) {
    uint64_t ticks = 0;
    while (context->iteration != group_end) {
      if (const int32_t code = run(call->before, context)) return code;
      const uint64_t start = fb_ticks();
      uint64_t last = start;
      const Step *steps = call->timed.first();
      const int32_t code = kLength == 0
                               ? run_and_split_all(steps, context, sums, &last)
                               : run_and_split(steps, context, sums, &last, std::make_index_sequence<kLength>{});
      if (code != 0) return code;
      ticks += last - start;
      if (const int32_t after = run(call->after, context)) return after;
      if (const int32_t next = next_iteration(context)) return next;
    }
    *take_sample(call) = fb_seconds(ticks);
    if (!lead_in) call->ticks += ticks;
    if (group_end == call->end) return 0;
  }
}

using Loop = int32_t (*)(Call *call, Context *context, uint64_t group_end);

enum class Reads { kChained, kSampled, kSeparate, kSplit };

template <size_t... kLength>
Loop choose(size_t length, Reads reads, std::index_sequence<kLength...>) {
  constexpr Loop split_loops[] = {run_split<kLength>...};
  constexpr Loop separate_loops[] = {run_separate<kLength>...};
  constexpr Loop sampled_loops[] = {run_sampled_after_lead_in<kLength>...};
  constexpr Loop chained_loops[] = {run_chained<kLength>...};
  const size_t known = length < sizeof...(kLength) ? length : 0;
  switch (reads) {
    case Reads::kSplit:
      return split_loops[known];
    case Reads::kSeparate:
      return separate_loops[known];
    case Reads::kSampled:
      return sampled_loops[known];
    default:
      return chained_loops[known];
  }
}

// Kernels have up to four timed operations; longer lists go through the loop for any length.
Loop loop_for(const ProgramLists &lists, bool split, bool sampled) {
  const Reads reads = split                 ? Reads::kSplit
                      : lists.has_untimed() ? Reads::kSeparate
                      : sampled             ? Reads::kSampled
                                            : Reads::kChained;
  return choose(lists.timed.size(), reads, std::make_index_sequence<5>{});
}

// Runs `closing` after the loop, and adds its time: from the last read of the clock on, where the loop's reads are a
// chain.
int32_t run_closing(const Steps &closing, bool separate, Call *call, Context *context) {
  if (closing.first()->execute == nullptr) return 0;
  const uint64_t start = separate ? fb_ticks() : call->first + call->ticks;
  const int32_t code = run(closing, context);
  call->ticks += fb_ticks() - start;
  return code;
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

Outcome execute_program(const ProgramLists &lists, Context *context, const Stretch &stretch, double *samples,
                        uint64_t *split) {
  const uint64_t begin = context->iteration;
  const uint64_t measured = begin + stretch.lead_in;
  Call call = {Steps(lists.before), Steps(lists.timed), Steps(lists.after)};
  const Steps closing(stretch.close ? lists.closing : OperationList{});
  // Without samples the whole call is one group: a chain of two reads.
  call.group_size = samples == nullptr ? stretch.iterations : stretch.per_sample;
  call.end = measured + stretch.iterations;
  if (samples != nullptr) call.samples = samples;
  call.split = split;
  const bool sampled = samples != nullptr && stretch.per_sample == 1;
  int32_t code = loop_for(lists, split != nullptr, sampled)(&call, context, measured);
  if (code == 0) code = run_closing(closing, lists.has_untimed() || split != nullptr, &call, context);
  Outcome outcome = end_execution(context, code);
  outcome.completed = context->iteration - begin;
  outcome.ticks = call.ticks;
  return outcome;
}

Outcome execute_untimed(const ProgramLists &lists, Context *context, uint64_t iterations, uint64_t *split) {
  return execute_program(lists, context, {0, 1, iterations, false}, nullptr, split);
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
