#include "engine/threads.hpp"

#include <pthread.h>
#include <sched.h>

#include "engine/cpu_mask.hpp"
#include "engine/native_thread.hpp"
#include "engine/progress.hpp"

namespace fabricbench {

ProgramThreads::ProgramThreads(const std::vector<ProgramLists> &programs, const std::vector<uint32_t> &cpus)
    : programs_(programs), cpus_(cpus), outcomes_(programs.size()), busy_(programs.size()) {
  for (size_t i = 0; i < programs.size(); ++i)
    contexts_.push_back({0, static_cast<uint32_t>(i), 0, cancelled_.word(), nullptr});
  try {
    for (size_t i = 0; i < programs.size(); ++i) threads_.push_back(start_thread([this, i] { work(i); }));
  } catch (...) {
    end();
    throw;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return busy_ == 0; });  // all are pinned and wait
}

ProgramThreads::~ProgramThreads() { end(); }

void ProgramThreads::end() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

const std::vector<Outcome> &ProgramThreads::run(const Job &job, int *first_failed) {
  std::unique_lock<std::mutex> lock(mutex_);
  job_ = &job;
  busy_ = threads_.size();
  arrived_ = 0;
  ++round_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return busy_ == 0; });
  *first_failed = first_failed_;
  return outcomes_;
}

void ProgramThreads::work(size_t thread) {
  pin(thread);
  for (uint64_t round = 1;; ++round) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (--busy_ == 0) changed_.notify_all();
      changed_.wait(lock, [&] { return ending_ || round_ == round; });
      if (ending_) return;
    }
    const Executing executing(&contexts_[thread]);
    __atomic_add_fetch(&arrived_, 1, __ATOMIC_ACQ_REL);
    meet();
    finish(thread, (*job_)(programs_[thread], &contexts_[thread], thread));
  }
}

// Spins until all threads are here, so that they begin within a microsecond; gives the processor away now and then,
// since there may be more threads than processors.
void ProgramThreads::meet() const {
  constexpr int kSpins = 2000;
  for (int spins = 0; __atomic_load_n(&arrived_, __ATOMIC_ACQUIRE) < programs_.size(); ++spins) {
    if (spins >= kSpins) {
      sched_yield();
      spins = 0;
    }
  }
}

void ProgramThreads::finish(size_t thread, const Outcome &outcome) {
  std::lock_guard<std::mutex> lock(mutex_);
  outcomes_[thread] = outcome;
  if (outcome.code == 0 || first_failed_ >= 0) return;
  first_failed_ = static_cast<int>(thread);
  cancelled_.cancel();
}

void ProgramThreads::pin(size_t thread) {
  if (cpus_.empty()) return;
  CpuMask mask;
  mask.add(cpus_[thread]);
  if (pthread_setaffinity_np(pthread_self(), mask.bytes(), mask.data()) == 0) return;
  std::lock_guard<std::mutex> lock(mutex_);
  unpinned_ = static_cast<int>(thread);
}

}  // namespace fabricbench
