#include "base/exit_status.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

namespace lockstep {

std::string ExitStatus::describe() const {
  if (signal == 0) {
    return fmt::format("exited with code {}", exit_code);
  }
  const char* name = sigabbrev_np(signal);  // null for real-time signals
  return fmt::format("was killed by {}{}",
                     name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal),
                     dumped_core ? " (core dumped)" : "");
}

ExitStatus ExitStatus::from_siginfo(const siginfo_t& info) {
  ExitStatus status;
  if (info.si_code == CLD_EXITED) {
    status.exit_code = info.si_status;
  } else {
    status.signal = info.si_status;
    status.dumped_core = info.si_code == CLD_DUMPED;
  }
  return status;
}

}  // namespace lockstep
