#pragma once

// The implementations that can be compared, which of them this machine has, and how their workers are started.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::bench {

enum class Implementation { kLockstep, kGloo, kOpenMpi };

std::string_view to_string(Implementation implementation);  // "lockstep", "gloo", "openmpi"

struct Contender {
  Implementation implementation = Implementation::kLockstep;
  std::filesystem::path program;  // of a worker
  std::string missing;            // why it cannot take part and what to do about it; empty: it can
};

Contender find_contender(Implementation implementation);

// The processes to start for `ranks` workers: one for each, or one launcher that starts them all.
struct WorkerCommand {
  int ranks = 0;
  std::string socket;  // of the coordinator
  int flags_fd = -1;   // memory for the ping-pong of lockstep's workers; others get none
};
std::vector<std::vector<std::string>> worker_commands(const Contender& contender,
                                                      const WorkerCommand& command);

}  // namespace lockstep::bench
