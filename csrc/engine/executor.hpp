// The executor: runs a program's operations many times and stamps the clock between them. No JavaScript in here.
#pragma once

#include <vector>

#include "engine/operation.hpp"

namespace fabricbench {

using OperationList = std::vector<Operation *>;

struct ProgramLists {
  OperationList before;  // untimed, before each timed part
  OperationList timed;
  OperationList after;  // untimed, after each timed part
  OperationList drain;  // once, when the run ends

  bool has_untimed() const { return !before.empty() || !after.empty(); }
  // Calls `visit` with each list in the order of execution.
  template <typename Visit>
  void each(Visit visit) const {
    for (const OperationList *list : {&before, &timed, &after, &drain}) {
      for (Operation *operation : *list) visit(operation);
    }
  }
};

// How an execution ended. `failed` is null when all went well.
struct Outcome {
  uint64_t completed = 0;  // iterations of this call, lead-in included
  uint64_t ticks = 0;      // sum of the timed parts; says nothing after a failure
  const Operation *failed = nullptr;
  int32_t code = 0;
};

// Runs `lead_in` iterations that are not measured, and right after them `iterations` (> 0) that are. `samples`, if not
// null, takes one duration in seconds per `per_sample` iterations, which must divide `iterations`. Needs a calibrated
// clock. Ends early at the first failure, or when the context is cancelled.
Outcome execute_program(const ProgramLists &lists, Context *context, uint64_t lead_in, uint64_t iterations,
                        uint64_t per_sample, double *samples);

// Runs `iterations` iterations that are not measured, in the same loop: warm-up.
Outcome execute_untimed(const ProgramLists &lists, Context *context, uint64_t iterations);

// Runs each operation of a list once.
Outcome execute_list(const OperationList &list, Context *context);

// Calls reset of every operation, once each however often the lists name it.
void reset_operations(const ProgramLists &lists);

}  // namespace fabricbench
