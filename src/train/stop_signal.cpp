#include "train/stop_signal.h"

#include <atomic>

namespace lockstep::train {
namespace {

// The handler may run in any thread while the loop reads this in its own: a lock-free atomic is safe for both.
std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  received.store(signal, std::memory_order_relaxed);  // no other data is published by it
}

void listen(int signal, int flags, struct sigaction& former) {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = flags;
  sigaction(signal, &action, &former);
}

}  // namespace

// SA_RESTART: blocking system calls are restarted, and the loop checks soon enough.
StopSignal::StopSignal() {
  received = 0;
  listen(SIGTERM, SA_RESTART, former_term_);
  listen(SIGINT, SA_RESTART | static_cast<int>(SA_RESETHAND), former_int_);
}

StopSignal::~StopSignal() {
  sigaction(SIGTERM, &former_term_, nullptr);
  sigaction(SIGINT, &former_int_, nullptr);
}

std::string StopSignal::wants_to_pause() {
  const int signal = received.load(std::memory_order_relaxed);
  return signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : "";
}

}  // namespace lockstep::train
