#pragma once

// Who this process is among the ranks of its job, read from the environment.

#include <map>
#include <string>

namespace lockstep {

struct Identity {
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  int local_size = 1;
  int node_rank = 0;
  int node_count = 1;
  std::string master_address;  // empty in a world of one
  int master_port = 0;
  std::string token;  // equal on all ranks of the job, different from other jobs of this user

  bool operator==(const Identity&) const = default;
};

// Pure: `environment` is all it looks at. Throws Error{kInvalidConfig} that names every variable that is missing,
// malformed or contradicts another.
Identity identify(const std::map<std::string, std::string>& environment);

}  // namespace lockstep
