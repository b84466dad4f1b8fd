#include "engine/progress.hpp"

#include <algorithm>

namespace fabricbench {

Executions &executions() {
  // Never destroyed: the watchdog's thread may still look while the process ends.
  static auto *all = new Executions;
  return *all;
}

void enter_execution(const Context *context) {
  Executions &all = executions();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.list.push_back({context, ++all.started});
}

void leave_execution(const Context *context) {
  Executions &all = executions();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = std::find_if(all.list.rbegin(), all.list.rend(),
                                  [context](const Execution &one) { return one.context == context; });
  if (found != all.list.rend()) all.list.erase(std::next(found).base());
}

}  // namespace fabricbench
