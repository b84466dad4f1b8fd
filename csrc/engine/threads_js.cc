// Programs on several threads as JavaScript sees them; src/engine/threads.ts checks the arguments.
#include <napi.h>

#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/program.hpp"
#include "engine/threads.hpp"

namespace fabricbench {
namespace {

// Throws where a thread can't run one of these operations, or where two threads would run the same one.
void check_operations(Napi::Env env, const OperationSet &operations, const OperationSet &earlier,
                      const std::string &what) {
  for (const Operation *operation : operations) {
    if ((operation->flags & kOperationAnyThread) == 0) {
      throw Napi::TypeError::New(env, what + " holds " + operation->name +
                                          ", which works on one thread only (MPI must be initialised with "
                                          "MPI_THREAD_MULTIPLE for it to work on several)");
    }
    if (earlier.count(operation) != 0) {
      throw Napi::TypeError::New(env, what + " holds an operation " + operation->name +
                                          " that another program holds too: build one for each thread");
    }
  }
}

class Threads : public Napi::ObjectWrap<Threads> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Threads",
                       {InstanceMethod("advance", &Threads::advance), InstanceMethod("warmUp", &Threads::warm_up),
                        InstanceMethod("drain", &Threads::drain), InstanceMethod("close", &Threads::close),
                        InstanceAccessor("iteration", &Threads::iteration, nullptr)});
  }

  // new Threads(programs: lists[], cpus: number[], empty for none)
  explicit Threads(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Threads>(info) {
    const Napi::Env env = info.Env();
    const auto programs = info[0].As<Napi::Array>();
    const auto numbers = info[1].As<Napi::Array>();
    read_programs(env, programs);
    std::vector<uint32_t> cpus;
    for (uint32_t i = 0; i < numbers.Length(); ++i) cpus.push_back(numbers.Get(i).As<Napi::Number>().Uint32Value());
    fb_clock_calibrate();
    start(env, cpus);
    for (const ProgramLists &program : programs_) hold_program(program);
    held_ = true;
    detail::hold_values(env, info.This(), {programs});
  }

  ~Threads() override { let_go(); }

 private:
  void read_programs(Napi::Env env, const Napi::Array &programs) {
    OperationSet earlier;
    for (uint32_t i = 0; i < programs.Length(); ++i) {
      const std::string what = "programs[" + std::to_string(i) + "]";
      const auto lists = programs.Get(i).As<Napi::Array>();
      const ProgramValues values = {lists.Get(0u), lists.Get(1u), lists.Get(2u), lists.Get(3u), lists.Get(4u)};
      OperationSet operations;
      programs_.push_back(read_program(env, values, what + ".", &operations));
      check_operations(env, operations, earlier, what);
      earlier.insert(operations.begin(), operations.end());
    }
  }

  void start(Napi::Env env, const std::vector<uint32_t> &cpus) {
    try {
      threads_ = std::make_unique<ProgramThreads>(programs_, cpus);
    } catch (const std::system_error &error) {
      throw Napi::Error::New(env, "the system gives no thread for each of " + std::to_string(programs_.size()) +
                                      " programs (" + error.what() + "): use fewer, or raise the limit of processes");
    }
    const int unpinned = threads_->unpinned();
    if (unpinned < 0) return;
    const std::string cpu = std::to_string(cpus[static_cast<size_t>(unpinned)]);
    throw Napi::Error::New(
        env, "thread " + std::to_string(unpinned) + " can't run on core " + cpu + ": this process may not use it");
  }

  // advance(iterations, samples: (Float64Array | undefined)[], perSample, leadIn, close): seconds by program
  Napi::Value advance(const Napi::CallbackInfo &info) {
    const Napi::Env env = info.Env();
    const Stretch stretch = read_stretch(info);
    const auto arrays = info[1].As<Napi::Array>();
    std::vector<double *> samples;
    for (size_t i = 0; i < programs_.size(); ++i) {
      const Napi::Value array = arrays.Get(static_cast<uint32_t>(i));
      samples.push_back(array.IsUndefined() ? nullptr : array.As<Napi::Float64Array>().Data());
    }
    const auto &outcomes = execute(env, [&](const ProgramLists &lists, Context *context, size_t thread) {
      return execute_program(lists, context, stretch, samples[thread]);
    });
    Napi::Array seconds = Napi::Array::New(env);
    for (size_t i = 0; i < outcomes.size(); ++i) seconds[static_cast<uint32_t>(i)] = fb_seconds(outcomes[i].ticks);
    return seconds;
  }

  void warm_up(const Napi::CallbackInfo &info) {
    const auto iterations = static_cast<uint64_t>(info[0].As<Napi::Number>().Int64Value());
    execute(info.Env(), [iterations](const ProgramLists &lists, Context *context, size_t) {
      return execute_untimed(lists, context, iterations);
    });
    for (const ProgramLists &program : programs_) reset_operations(program);
  }

  void drain(const Napi::CallbackInfo &info) {
    execute(info.Env(),
            [](const ProgramLists &lists, Context *context, size_t) { return execute_list(lists.drain, context); });
  }

  const std::vector<Outcome> &execute(Napi::Env env, const ProgramThreads::Job &job) {
    int failed = -1;
    const std::vector<Outcome> &outcomes = threads_->run(job, &failed);
    if (failed >= 0) {
      const auto thread = static_cast<size_t>(failed);
      throw_outcome(env, outcomes[thread], threads_->context(thread));
    }
    return outcomes;
  }

  void close(const Napi::CallbackInfo &info) {
    let_go();
    detail::hold_values(info.Env(), info.This(), {});
  }

  void let_go() {
    threads_.reset();
    if (!held_) return;
    held_ = false;
    for (ProgramLists &program : programs_) release_program(&program);
  }

  // Iterations of the first program; all have run as many, unless one has failed.
  Napi::Value iteration(const Napi::CallbackInfo &info) {
    if (threads_ != nullptr) last_iteration_ = threads_->context(0).iteration;
    return Napi::Number::New(info.Env(), static_cast<double>(last_iteration_));
  }

  std::vector<ProgramLists> programs_;
  std::unique_ptr<ProgramThreads> threads_;
  uint64_t last_iteration_ = 0;
  bool held_ = false;
};

}  // namespace

void export_threads(Napi::Env env, Napi::Object exports) { exports.Set("Threads", Threads::define(env)); }

}  // namespace fabricbench
