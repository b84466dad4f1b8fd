// A program as JavaScript sees it: the checked lists, held until the run ends.
#pragma once

#include <napi.h>

#include <array>
#include <string>
#include <unordered_set>

#include "engine/executor.hpp"
#include "engine/operation_js.hpp"

namespace fabricbench {

using OperationSet = std::unordered_set<const Operation *>;

// A program as it comes from JavaScript: arrays of operation functions (before, timed, after, drain, closing).
using ProgramValues = std::array<Napi::Value, 5>;

// Checks every operation and that the memory it uses is still there. `what` begins the names used in errors ("" or
// "programs[1]."). Adds to `all`, if not null, every operation and those that they run in turn.
ProgramLists read_program(Napi::Env env, const ProgramValues &values, const std::string &what,
                          OperationSet *all = nullptr);

void hold_program(const ProgramLists &lists);
void release_program(ProgramLists *lists);

// Reads what `advance` is to do: (iterations, samples, perSample, leadIn, close).
Stretch read_stretch(const Napi::CallbackInfo &info);

// Throws the OperationError of an execution that failed.
[[noreturn]] void throw_outcome(Napi::Env env, const Outcome &outcome, const Context &context);

// Exports the class Program.
void export_program(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench
