#pragma once

// Treats SIGTERM and SIGINT as a request to pause: the handler records the signal, and the loop polls it.

#include <csignal>
#include <string>

#include "lockstep/train_callback.h"

namespace lockstep::train {

// At most one per process; while it is alive, it handles both signals. A second SIGINT kills the process, as a user who
// presses Ctrl-C twice expects. A second SIGTERM changes nothing: some schedulers send several.
class StopSignal : public Callback {
 public:
  StopSignal();
  ~StopSignal() override;

  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::string wants_to_pause() override;

 private:
  struct sigaction former_term_ = {};
  struct sigaction former_int_ = {};
};

}  // namespace lockstep::train
