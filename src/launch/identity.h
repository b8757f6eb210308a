#pragma once

// Identifies this process among the ranks of its job, from the environment that its starter left.

#include <functional>
#include <string>
#include <string_view>

#include "launch/starter.h"
#include "lockstep/config.h"

namespace lockstep {

struct Identity {
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  int local_size = 1;
  int node_rank = 0;
  int node_count = 1;          // 0: the ranks have to ask each other; see node_census.h
  std::string master_address;  // empty in a world of one, and on a single host if the starter gives none
  int master_port = 0;         // 0 likewise
  std::string token;           // equal on all ranks of the job, different from other jobs of this user

  bool operator==(const Identity&) const = default;
};

// An identity, and its source.
struct Recognition {
  Identity identity;
  const Starter* starter = nullptr;  // null: this process was not started as a rank
  std::string reason;                // why that starter

  // "this is rank 0 of 4 (2 on this host): Open MPI's OMPI_COMM_WORLD_* variables; Slurm's were there too"
  std::string describe() const;
};

// Finds the process that set a variable; called only where no variable tells jobs apart.
using FindSetter = std::function<int(std::string_view variable)>;

// Pure: depends only on its arguments. Throws Error{kInvalidConfig} with every variable that is missing, malformed or
// contradicts another.
Recognition identify(const config::Environment& environment, const FindSetter& find_setter);

}  // namespace lockstep
