#include "base/exit_status.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

namespace lockstep {

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);  // null for real-time signals
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

std::string ExitStatus::describe() const {
  if (signal == 0) {
    return fmt::format("exited with code {}", exit_code);
  }
  return fmt::format("was killed by {}{}", signal_name(signal), dumped_core ? " (core dumped)" : "");
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
