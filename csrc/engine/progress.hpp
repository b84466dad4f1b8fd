// What the watchdog sees of the executors: the contexts that are executing at this moment.
#pragma once

#include <mutex>
#include <vector>

#include "engine/operation.hpp"

namespace fabricbench {

struct Execution {
  const Context *context;
  uint64_t serial;  // tells two executions with the same context apart
};

// Guards the list, and with it the operations that its contexts point to: they live at least as long as their context
// is on the list.
struct Executions {
  std::mutex mutex;
  std::vector<Execution> list;
  uint64_t started = 0;
};

Executions &executions();

void enter_execution(const Context *context);
void leave_execution(const Context *context);

// Puts a context on the list for as long as it lives.
class Executing {
 public:
  explicit Executing(const Context *context) : context_(context) { enter_execution(context); }
  ~Executing() { leave_execution(context_); }
  Executing(const Executing &) = delete;
  Executing &operator=(const Executing &) = delete;

 private:
  const Context *context_;
};

}  // namespace fabricbench
