#include "engine/program.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cancel.hpp"
#include "engine/clock.h"
#include "engine/progress.hpp"

namespace fabricbench {
namespace {

// Throws where memory that the operation uses is gone since it was bound. Visits the operations that it runs, too.
void check_memory(Napi::Env env, Napi::Object function, const Operation *operation, const std::string &what,
                  OperationSet *all) {
  if (all != nullptr) all->insert(operation);
  for (uint32_t i = 0; i < operation->buffer_count; ++i) {
    if (operation->buffers[i]->data != nullptr) continue;
    throw Napi::TypeError::New(env, what + " (" + operation->name + ") uses an engine buffer that was freed");
  }
  const Napi::Value held = function.Get(Napi::Value(env, detail::holds_key(env)));
  if (!held.IsArray()) return;
  const auto list = held.As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value value = list[i];
    if (has_tag(env, value, kOperationTag)) {
      check_memory(env, value.As<Napi::Object>(), unwrap_operation(env, value, what), what, all);
      continue;
    }
    Bytes ignored;
    napi_value below = array_buffer_below(env, value, &ignored);
    if (below == nullptr || !is_detached(env, below)) continue;
    throw Napi::TypeError::New(
        env, what + " (" + operation->name + ") uses a buffer that was detached since: build the operation anew");
  }
}

OperationList read_list(Napi::Env env, Napi::Value value, const std::string &what, OperationSet *all) {
  if (!value.IsArray()) throw Napi::TypeError::New(env, what + " must be an array of operations");
  const auto array = value.As<Napi::Array>();
  OperationList list;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const std::string name = what + "[" + std::to_string(i) + "]";
    const Napi::Value entry = array[i];
    Operation *operation = unwrap_operation(env, entry, name);
    check_memory(env, entry.As<Napi::Object>(), operation, name, all);
    list.push_back(operation);
  }
  return list;
}

// A run on the JavaScript thread. Everything about arguments is checked by src/engine.
class Program : public Napi::ObjectWrap<Program> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Program",
        {InstanceMethod("advance", &Program::advance), InstanceMethod("warmUp", &Program::warm_up),
         InstanceMethod("reset", &Program::reset), InstanceMethod("drain", &Program::drain),
         InstanceMethod("close", &Program::close), InstanceMethod("enter", &Program::enter),
         InstanceMethod("leave", &Program::leave), InstanceMethod("splitSeconds", &Program::split_seconds),
         InstanceAccessor("iteration", &Program::iteration, nullptr)});
  }

  // new Program(before, timed, after, drain, closing, split)
  explicit Program(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Program>(info) {
    const ProgramValues values = {info[0], info[1], info[2], info[3], info[4]};
    lists_ = read_program(info.Env(), values, "");
    detail::hold_values(info.Env(), info.This(), std::vector<napi_value>(values.begin(), values.end()));
    hold_program(lists_);
    if (info[5].ToBoolean()) split_.resize(lists_.timed.size());
    fb_clock_calibrate();
  }

  ~Program() override { release_program(&lists_); }

 private:
  // advance(iterations, samples | undefined, perSample, leadIn, close): seconds
  Napi::Value advance(const Napi::CallbackInfo &info) {
    double *samples = info[1].IsUndefined() ? nullptr : info[1].As<Napi::Float64Array>().Data();
    const Stretch stretch = read_stretch(info);
    const Outcome outcome =
        execute(info.Env(), [&] { return execute_program(lists_, &context_, stretch, samples, split()); });
    return Napi::Number::New(info.Env(), fb_seconds(outcome.ticks));
  }

  void warm_up(const Napi::CallbackInfo &info) {
    const auto iterations = static_cast<uint64_t>(info[0].As<Napi::Number>().Int64Value());
    execute(info.Env(), [&] { return execute_untimed(lists_, &context_, iterations, split()); });
    reset_operations(lists_);
    std::fill(split_.begin(), split_.end(), 0);
  }

  void drain(const Napi::CallbackInfo &info) {
    execute(info.Env(), [&] { return execute_list(lists_.drain, &context_); });
  }

  template <typename Run>
  Outcome execute(Napi::Env env, Run run) {
    Outcome outcome;
    {
      const Executing executing(&context_);
      outcome = run();
    }
    if (outcome.code != 0) throw_outcome(env, outcome, context_);
    return outcome;
  }

  void reset(const Napi::CallbackInfo &) { reset_operations(lists_); }

  void close(const Napi::CallbackInfo &info) {
    release_program(&lists_);
    detail::hold_values(info.Env(), info.This(), {});
  }

  // From here to `leave` the operations are called from JavaScript, with the engine's own context. Throws where runs
  // are cancelled.
  void enter(const Napi::CallbackInfo &info) {
    lists_.each([](Operation *operation) { operation->context = &detail::call_context; });
    enter_execution(&detail::call_context);
    if (!is_cancelled(&detail::call_context)) return;
    Outcome cancelled;
    cancelled.code = kOperationCancelled;
    throw_outcome(info.Env(), cancelled, detail::call_context);
  }

  void leave(const Napi::CallbackInfo &) { leave_execution(&detail::call_context); }

  Napi::Value iteration(const Napi::CallbackInfo &info) {
    return Napi::Number::New(info.Env(), static_cast<double>(context_.iteration));
  }

  uint64_t *split() { return split_.empty() ? nullptr : split_.data(); }

  // splitSeconds(seconds: Float64Array): of each timed operation, since the reset after warm-up
  void split_seconds(const Napi::CallbackInfo &info) {
    auto seconds = info[0].As<Napi::Float64Array>();
    for (size_t i = 0; i < split_.size(); ++i) seconds[i] = fb_seconds(split_[i]);
  }

  ProgramLists lists_;
  std::vector<uint64_t> split_;  // ticks of each timed operation, where they are wanted
  Context context_ = {0, 0, 0, &cancel_word().cancelled, nullptr};
};

}  // namespace

Stretch read_stretch(const Napi::CallbackInfo &info) {
  const auto whole = [&info](size_t index) {
    return static_cast<uint64_t>(info[index].As<Napi::Number>().Int64Value());
  };
  return {whole(0), whole(2), whole(3), info[4].As<Napi::Boolean>().Value()};
}

ProgramLists read_program(Napi::Env env, const ProgramValues &values, const std::string &what, OperationSet *all) {
  ProgramLists lists;
  lists.before = read_list(env, values[0], what + "untimed.before", all);
  lists.timed = read_list(env, values[1], what + "timed", all);
  lists.after = read_list(env, values[2], what + "untimed.after", all);
  lists.drain = read_list(env, values[3], what + "drain", all);
  lists.closing = read_list(env, values[4], what + "closing", all);
  return lists;
}

void hold_program(const ProgramLists &lists) { lists.each(hold_operation); }

void release_program(ProgramLists *lists) {
  lists->each(release_operation);
  *lists = ProgramLists{};
}

void throw_outcome(Napi::Env env, const Outcome &outcome, const Context &context) {
  // Stands for the run where it was cancelled between two operations.
  static const Operation *const run = [] {
    auto *operation = new Operation;
    init_operation(operation, "engine", "run", 0);
    return operation;
  }();
  const Operation *failed = outcome.failed != nullptr ? outcome.failed : run;
  const FailurePlace place = {context.iteration, outcome.completed, context.thread};
  const std::string text = describe_failure(failed, outcome.code);
  throw Napi::Error(env, operation_error(env, failed, outcome.code, text.c_str(), &place));
}

void export_program(Napi::Env env, Napi::Object exports) { exports.Set("Program", Program::define(env)); }

}  // namespace fabricbench
