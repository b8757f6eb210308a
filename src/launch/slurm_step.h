#pragma once

// What a Slurm step reveals besides ranks: the placement of its tasks on the nodes, and the host and port of their
// rendezvous.

#include <string>

#include "launch/environment_reader.h"

namespace lockstep {

struct SlurmStep {
  int local_rank = 0;
  int local_size = 1;  // tasks on this node
  int node_rank = 0;
  int node_count = 1;
  std::string first_host;  // the host of task 0
  int port = 0;            // the same for all tasks of the step; differs for the next step and the next job
};

// For a step of `size` tasks with all of Slurm's required variables set. Malformed or contradictory values are added to
// the reader's problems.
SlurmStep read_slurm_step(EnvironmentReader& reader, int size);

}  // namespace lockstep
