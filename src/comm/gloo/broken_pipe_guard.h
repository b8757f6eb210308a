#pragma once

// Keeps SIGPIPE away from this thread, and from the threads that are started while this object lives: Gloo writes
// to sockets whose other end may be gone, and a C++ program that did nothing about SIGPIPE would be killed by it.
// The rest of the process keeps its own handling.

#include <csignal>
#include <ctime>

namespace lockstep::gloo {

class BrokenPipeGuard {
 public:
  BrokenPipeGuard() {
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    was_pending_ = pending();
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~BrokenPipeGuard() {
    const timespec at_once{};
    while (!was_pending_ && pending() && sigtimedwait(&broken_pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipeGuard(const BrokenPipeGuard&) = delete;
  BrokenPipeGuard& operator=(const BrokenPipeGuard&) = delete;

 private:
  static bool pending() {
    sigset_t signals;
    return sigpending(&signals) == 0 && sigismember(&signals, SIGPIPE) == 1;
  }

  sigset_t broken_pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace lockstep::gloo
