// The watchdog: a native thread that ends the process when nothing has moved for too long. It is how a native call that
// blocks for ever ends, and so it uses neither JavaScript nor any stack.
#pragma once

#include <string>

namespace fabricbench {

// Starts watching, armed. `seconds` is the limit (> 0) and `said` what it is called in the message (without the grace).
// Throws std::system_error where the system gives no thread; then nothing watches.
void start_watchdog(double seconds, const std::string &said, int rank);
// What the process is doing, in words, e.g. "osu_latency, size 8". Counts as progress.
void set_watchdog_context(const std::string &text);
// Reports progress made outside of programs.
void kick_watchdog();
// A disarmed watchdog watches nothing; arming begins a new limit.
void arm_watchdog(bool armed);
void stop_watchdog();

}  // namespace fabricbench
