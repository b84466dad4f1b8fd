// Several programs on as many native threads. No JavaScript in here.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/cancel.hpp"
#include "engine/executor.hpp"

namespace fabricbench {

class ProgramThreads {
 public:
  // What one thread does with its program.
  using Job = std::function<Outcome(const ProgramLists &lists, Context *context, size_t thread)>;

  // Starts one thread per program; `cpus` (empty, or one per program) says where each runs. The programs must outlive
  // this object. Throws std::system_error where the system gives no more threads.
  ProgramThreads(const std::vector<ProgramLists> &programs, const std::vector<uint32_t> &cpus);
  ~ProgramThreads();

  // The thread that couldn't be put on its processor, or -1.
  int unpinned() const { return unpinned_; }

  // Has every thread do the job, all beginning together, and waits for them. The first failure cancels all others;
  // `first_failed` tells who it was, or -1.
  const std::vector<Outcome> &run(const Job &job, int *first_failed);

  const Context &context(size_t thread) const { return contexts_[thread]; }

 private:
  void work(size_t thread);
  void meet() const;
  void finish(size_t thread, const Outcome &outcome);
  void pin(size_t thread);
  void end();

  const std::vector<ProgramLists> &programs_;
  const std::vector<uint32_t> cpus_;
  std::vector<Context> contexts_;
  std::vector<Outcome> outcomes_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows, except where atomics are used
  std::condition_variable changed_;
  const Job *job_ = nullptr;
  uint64_t round_ = 0;  // counts jobs
  size_t busy_ = 0;     // threads that haven't finished the round
  size_t arrived_ = 0;  // at the barrier; atomic
  int first_failed_ = -1;
  int unpinned_ = -1;
  bool ending_ = false;
  CancelMember cancelled_;
};

}  // namespace fabricbench
