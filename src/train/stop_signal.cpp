#include "train/stop_signal.h"

namespace lockstep::train {
namespace {

volatile std::sig_atomic_t received = 0;

void note(int signal) {
  received = signal;
}

void listen(int signal, int flags, struct sigaction& former) {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = flags;
  sigaction(signal, &action, &former);
}

}  // namespace

// SA_RESTART: what waits in a system call goes on waiting, and the loop hears of it soon enough.
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
  return received == SIGTERM ? "SIGTERM" : received == SIGINT ? "SIGINT" : "";
}

}  // namespace lockstep::train
