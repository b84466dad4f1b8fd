#include "engine/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <vector>

#include "engine/native_thread.hpp"
#include "engine/progress.hpp"

namespace fabricbench {
namespace {

using Clock = std::chrono::steady_clock;

// One execution as the watchdog saw it last.
struct Seen {
  uint64_t serial;
  uint64_t iteration;
  const Operation *current;
  double idle;  // seconds without a change

  bool same(const Seen &other) const {
    return serial == other.serial && iteration == other.iteration && current == other.current;
  }
};

struct Watchdog {
  std::mutex mutex;  // guards all that follows
  std::condition_variable stopped;
  std::thread thread;
  bool running = false;
  bool armed = false;
  bool progress = false;  // since the last look
  int rank = 0;
  double limit = 0;  // seconds
  std::string said;
  std::string context;

  // Only the watchdog's thread uses these.
  std::vector<Seen> seen;
  double idle = 0;  // seconds without any execution or progress
};

// Never destroyed: the thread may still look while the process ends.
Watchdog &watchdog() {
  static auto *one = new Watchdog;
  return *one;
}

Seen look_at(const Execution &execution) {
  const Context *context = execution.context;
  return {execution.serial, __atomic_load_n(&context->iteration, __ATOMIC_RELAXED),
          __atomic_load_n(&context->current, __ATOMIC_RELAXED), 0};
}

// Writes the one sentence and ends the process at once. `stuck` is null where no program was executing.
[[noreturn]] void bite(const Watchdog &dog, const Seen *stuck) {
  std::string text = "fabricbench: rank " + std::to_string(dog.rank) + " made no progress for " + dog.said + " s";
  if (stuck != nullptr) {
    text += std::string(" in ") + (stuck->current != nullptr ? stuck->current->name : "a program") + ", iteration " +
            std::to_string(stuck->iteration);
  }
  if (!dog.context.empty()) text += (stuck != nullptr ? " of " : " in ") + dog.context;
  text += ", so the process ends; --watchdog S sets this limit in seconds, 0 switches it off\n";
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);  // nobody is left to tell
  _exit(1);
}

// Adds up idle time. Called with both locks held, so that what executes stays alive while it is named.
void look(Watchdog *dog, const std::vector<Execution> &executing, double elapsed) {
  std::vector<Seen> now;
  for (const Execution &execution : executing) now.push_back(look_at(execution));
  const bool was_executing = !dog->seen.empty();
  for (Seen &one : now) {
    const auto before =
        std::find_if(dog->seen.begin(), dog->seen.end(), [&](const Seen &old) { return old.same(one); });
    if (before != dog->seen.end() && !dog->progress) one.idle = before->idle + elapsed;
  }
  dog->idle = now.empty() && !was_executing && !dog->progress ? dog->idle + elapsed : 0;
  dog->progress = false;
  dog->seen = std::move(now);
  if (!dog->armed) return;
  for (const Seen &one : dog->seen) {
    if (one.idle >= dog->limit) bite(*dog, &one);
  }
  if (dog->idle >= dog->limit) bite(*dog, nullptr);
}

void watch() {
  Watchdog &dog = watchdog();
  std::unique_lock<std::mutex> lock(dog.mutex);
  const double period = std::min(0.5, std::max(0.01, dog.limit / 20));
  Clock::time_point last = Clock::now();
  while (dog.running) {
    dog.stopped.wait_for(lock, std::chrono::duration<double>(period));
    const Clock::time_point now = Clock::now();
    // A process that was stopped (Ctrl-Z, a debugger) has not been idle.
    const double elapsed = std::min(std::chrono::duration<double>(now - last).count(), 2 * period);
    last = now;
    std::lock_guard<std::mutex> guard(executions().mutex);
    look(&dog, executions().list, elapsed);
  }
}

}  // namespace

void start_watchdog(double seconds, const std::string &said, int rank) {
  Watchdog &dog = watchdog();
  std::lock_guard<std::mutex> lock(dog.mutex);
  dog.limit = seconds;
  dog.said = said;
  dog.rank = rank;
  dog.context.clear();
  dog.seen.clear();
  dog.idle = 0;
  dog.progress = false;
  dog.thread = start_thread(watch);  // waits for the lock that we hold
  dog.running = dog.armed = true;
}

void set_watchdog_context(const std::string &text) {
  std::lock_guard<std::mutex> lock(watchdog().mutex);
  watchdog().context = text;
  watchdog().progress = true;
}

void kick_watchdog() {
  std::lock_guard<std::mutex> lock(watchdog().mutex);
  watchdog().progress = true;
}

void arm_watchdog(bool armed) {
  std::lock_guard<std::mutex> lock(watchdog().mutex);
  watchdog().armed = armed;
  watchdog().progress = true;
}

void stop_watchdog() {
  Watchdog &dog = watchdog();
  {
    std::lock_guard<std::mutex> lock(dog.mutex);
    dog.running = false;
    dog.armed = false;
  }
  dog.stopped.notify_all();
  if (dog.thread.joinable()) dog.thread.join();
}

}  // namespace fabricbench
