// Native threads that never touch JavaScript and never see a signal.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace fabricbench {

// Starts a thread with all signals blocked: they belong to Node and to the launcher.
template <typename Body>
std::thread start_thread(Body body) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

}  // namespace fabricbench
