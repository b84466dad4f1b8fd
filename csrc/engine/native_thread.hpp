// Native threads that never touch JavaScript and never see a signal.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace fabricbench {

// Blocks all signals of the calling thread for as long as it lives.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

 private:
  sigset_t before_;
};

// Starts a thread with all signals blocked: they belong to Node and to the launcher. Throws std::system_error where the
// system gives no thread.
template <typename Body>
std::thread start_thread(Body body) {
  const SignalsBlocked blocked;  // a thread inherits the mask of the one that starts it
  return std::thread(std::move(body));
}

}  // namespace fabricbench
