#pragma once

// The variables that starters really set, as `env` printed them under each, cut down to those that say who a rank is.
// Numbers of ranks and names of hosts are parameters.

#include <string>

#include "lockstep/config.h"

namespace lockstep::testing {

using Variables = config::Environment;

inline Variables both(Variables first, const Variables& second) {
  first.insert(second.begin(), second.end());
  return first;
}

// torchrun 2.13 on two hosts with four ranks each.
inline Variables torchrun(int rank) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", "8"},
          {"LOCAL_RANK", std::to_string(rank % 4)},
          {"LOCAL_WORLD_SIZE", "4"},
          {"GROUP_RANK", std::to_string(rank / 4)},
          {"GROUP_WORLD_SIZE", "2"},
          {"ROLE_RANK", std::to_string(rank)},
          {"ROLE_WORLD_SIZE", "8"},
          {"MASTER_ADDR", "10.0.0.1"},
          {"MASTER_PORT", "29500"},
          {"TORCHELASTIC_RUN_ID", "job7"},
          {"TORCHELASTIC_RESTART_COUNT", "1"},
          {"TORCHELASTIC_MAX_RESTARTS", "3"},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
}

// The same ranks, started by a script of the user's own.
inline Variables by_hand(int rank) {
  Variables variables = torchrun(rank);
  for (const char* name : {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS",
                           "TORCHELASTIC_USE_AGENT_STORE"}) {
    variables.erase(name);
  }
  return variables;
}

// mpirun of Open MPI 4.1.4. Its NODE_RANK counts ranks on the node, not nodes.
inline Variables open_mpi(int rank, int size, int local_rank, int local_size) {
  return {{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_SIZE", std::to_string(size)},
          {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(local_rank)},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(local_size)},
          {"OMPI_COMM_WORLD_NODE_RANK", std::to_string(local_rank)},
          {"OMPI_UNIVERSE_SIZE", std::to_string(size)},
          {"OMPI_MCA_ess_base_jobid", "1161691137"},
          {"OMPI_MCA_orte_precondition_transports", "81243dacba4ccbe7-1ec21941c9c3d508"},
          {"PMIX_NAMESPACE", "1161691137"},
          {"PMIX_RANK", std::to_string(rank)}};
}

// mpiexec.hydra of MPICH 4.0.2.
inline Variables mpich(int rank, int size, int local_rank, int local_size) {
  return {{"PMI_RANK", std::to_string(rank)},
          {"PMI_SIZE", std::to_string(size)},
          {"PMI_FD", "6"},
          {"MPI_LOCALRANKID", std::to_string(local_rank)},
          {"MPI_LOCALNRANKS", std::to_string(local_size)},
          {"HYDI_CONTROL_FD", "7"}};
}

// MVAPICH's, as other programs read them: there was none to capture from.
inline Variables mvapich(int rank, int size, int local_rank, int local_size) {
  return {{"MV2_COMM_WORLD_RANK", std::to_string(rank)},
          {"MV2_COMM_WORLD_SIZE", std::to_string(size)},
          {"MV2_COMM_WORLD_LOCAL_RANK", std::to_string(local_rank)},
          {"MV2_COMM_WORLD_LOCAL_SIZE", std::to_string(local_size)}};
}

// srun of Slurm 22.05, the fourth of four tasks on two nodes.
inline Variables slurm(int rank = 3) {
  return {{"SLURM_JOB_ID", "1234"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_NTASKS", "4"},
          {"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_LOCALID", std::to_string(rank == 3 ? 0 : rank)},
          {"SLURM_NODEID", rank == 3 ? "1" : "0"},
          {"SLURM_STEP_NUM_TASKS", "4"},
          {"SLURM_STEP_NUM_NODES", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", "3,1"},
          {"SLURM_STEP_NODELIST", "gpu[08-09]"},
          {"SLURM_JOB_NODELIST", "gpu[07-09]"}};
}

// A batch script of the same job, which was to call srun.
inline Variables batch_script() {
  return {{"SLURM_JOB_ID", "1234"},
          {"SLURM_NTASKS", "4"},
          {"SLURM_PROCID", "0"},
          {"SLURM_LOCALID", "0"},
          {"SLURM_NODEID", "0"},
          {"SLURM_TASKS_PER_NODE", "3,1"},
          {"SLURM_JOB_NODELIST", "gpu[07-09]"}};
}

}  // namespace lockstep::testing
