// The executor: runs a program's operations many times and stamps the clock between them. No JavaScript in here.
#pragma once

#include <vector>

#include "engine/operation.hpp"

namespace fabricbench {

using OperationList = std::vector<Operation *>;

struct ProgramLists {
  OperationList before;  // untimed, before each timed part
  OperationList timed;
  OperationList after;    // untimed, after each timed part
  OperationList drain;    // once, when the run ends
  OperationList closing;  // once at the end of a call that says so, and measured

  bool has_untimed() const { return !before.empty() || !after.empty(); }
  // Calls `visit` with each list in the order of execution.
  template <typename Visit>
  void each(Visit visit) const {
    for (const OperationList *list : {&before, &timed, &after, &drain, &closing}) {
      for (Operation *operation : *list) visit(operation);
    }
  }
};

// How an execution ended. `failed` is null when all went well, and for a run that was cancelled between two iterations.
struct Outcome {
  uint64_t completed = 0;  // iterations of this call, lead-in included
  uint64_t ticks = 0;      // sum of the timed parts and of closing; says nothing after a failure
  const Operation *failed = nullptr;
  int32_t code = 0;
};

// What one call of execute_program is to do.
struct Stretch {
  uint64_t iterations;  // measured ones
  uint64_t per_sample;  // divides `iterations`
  uint64_t lead_in;     // iterations right before them that are not measured
  bool close;           // run `closing` after them
};

// Runs a stretch of iterations. `samples`, if not null, takes one duration in seconds per `per_sample` iterations. To
// `split`, if not null, the ticks of each timed operation are added, by one more read of the clock after each.
// Needs a calibrated clock. Ends early at the first failure, or when the context is cancelled.
Outcome execute_program(const ProgramLists &lists, Context *context, const Stretch &stretch, double *samples,
                        uint64_t *split = nullptr);

// Runs `iterations` iterations that are not measured, in the same loop: warm-up.
Outcome execute_untimed(const ProgramLists &lists, Context *context, uint64_t iterations, uint64_t *split = nullptr);

// Runs each operation of a list once.
Outcome execute_list(const OperationList &list, Context *context);

// Calls reset of every operation, once each however often the lists name it.
void reset_operations(const ProgramLists &lists);

}  // namespace fabricbench
