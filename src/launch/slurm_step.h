#pragma once

// What a Slurm step says about itself beyond ranks: how its tasks lie on the nodes, and where and on which port
// they can meet.

#include <string>

#include "launch/environment_reader.h"

namespace lockstep {

struct SlurmStep {
  int local_rank = 0;
  int local_size = 1;  // tasks on this node
  int node_rank = 0;
  int node_count = 1;
  std::string first_host;  // where task 0 is
  int port = 0;            // the same for all tasks of the step, another for the next step and the next job
};

// For a step of `size` tasks with all of Slurm's required variables set. What is malformed or contradicts goes to the
// reader's problems.
SlurmStep read_slurm_step(EnvironmentReader& reader, int size);

}  // namespace lockstep
