#pragma once

// The implementations that can be compared, which of them are installed, and how their workers are started.

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/bench/worker_group.h"

namespace lockstep::bench {

enum class Implementation { kLockstep, kGloo, kOpenMpi };

std::string_view to_string(Implementation implementation);  // "lockstep", "gloo", "openmpi"

struct Contender {
  Implementation implementation = Implementation::kLockstep;
  std::filesystem::path program;  // of the workers
  std::string missing;            // why it cannot take part and what to do about it; empty if it can
};

Contender find_contender(Implementation implementation);

// Its workers. `flags_fd` is memory for the ping-pong of lockstep's workers; others get none.
WorkerTeam make_team(const Contender& contender, int ranks, int flags_fd);

}  // namespace lockstep::bench
