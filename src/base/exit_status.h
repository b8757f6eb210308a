#pragma once

// How a process exited or crashed.

#include <sys/wait.h>

#include <string>

namespace lockstep {

// "SIGTERM"
std::string signal_name(int number);

struct ExitStatus {
  int exit_code = 0;  // meaningful when signal is 0
  int signal = 0;     // the signal that killed it, or 0
  bool dumped_core = false;

  bool ok() const { return signal == 0 && exit_code == 0; }
  // The shell's convention: the exit code, or 128 + the signal.
  int shell_code() const { return signal != 0 ? 128 + signal : exit_code; }
  // "exited with code 3", "was killed by SIGKILL", "was killed by SIGABRT (core dumped)"
  std::string describe() const;

  static ExitStatus from_siginfo(const siginfo_t& info);
};

}  // namespace lockstep
