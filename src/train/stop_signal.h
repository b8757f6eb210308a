#pragma once

// SIGTERM and SIGINT as a wish to pause: the handler notes which one came, and the loop asks.

#include <csignal>
#include <string>

#include "lockstep/train_callback.h"

namespace lockstep::train {

// One at a time in a process; while it lives both signals are its. A second SIGINT ends the process, as whoever presses
// Ctrl-C twice wants it; a second SIGTERM changes nothing: some schedulers send several.
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
