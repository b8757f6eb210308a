#include "launch/starter.h"

namespace lockstep {
namespace {

Starter torchrun() {
  return {.kind = StarterKind::kTorchrun,
          .choice = "torchrun",
          .owner = "torchrun",
          .program = "torchrun",
          .variables = "RANK and WORLD_SIZE",
          .rank = "RANK",
          .size = "WORLD_SIZE",
          .local_rank = "LOCAL_RANK",
          .local_size = "LOCAL_WORLD_SIZE",
          .signs = {"RANK", "WORLD_SIZE"},
          .required = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"},
          // A restarted job is a different job, so that a leftover process does not join the new ones.
          .job = {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"},
          .give_address = "torchrun --master-addr host1 --master-port 29500 ..."};
}

// MPIs differ only in the names of their variables.
Starter mpi(Starter starter) {
  starter.signs = {starter.rank, starter.size};
  starter.required = {starter.rank, starter.size, starter.local_rank, starter.local_size};
  return starter;
}

Starter open_mpi() {
  return mpi({.kind = StarterKind::kOpenMpi,
              .choice = "openmpi",
              .owner = "Open MPI",
              .program = "Open MPI's mpirun",
              .variables = "OMPI_COMM_WORLD_*",
              .rank = "OMPI_COMM_WORLD_RANK",
              .size = "OMPI_COMM_WORLD_SIZE",
              .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
              .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE",
              .signs = {},
              .required = {},
              // Version 4 derives its namespace from 16 bits of a hash; the other key is random.
              .job = {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports"},
              .give_address = "mpirun -x MASTER_ADDR=host1 -x MASTER_PORT=29500 ..."});
}

// Hydra, the launcher of MPICH, Intel MPI and MVAPICH 3.
Starter mpich() {
  return mpi({.kind = StarterKind::kMpich,
              .choice = "mpich",
              .owner = "MPICH",
              .program = "MPICH's mpiexec",
              .variables = "PMI_*",
              .rank = "PMI_RANK",
              .size = "PMI_SIZE",
              .local_rank = "MPI_LOCALRANKID",
              .local_size = "MPI_LOCALNRANKS",
              .signs = {},
              .required = {},
              .job = {},
              .give_address = "mpiexec -genv MASTER_ADDR host1 -genv MASTER_PORT 29500 ..."});
}

Starter mvapich() {
  return mpi({.kind = StarterKind::kMvapich,
              .choice = "mvapich",
              .owner = "MVAPICH",
              .program = "MVAPICH's mpirun_rsh",
              .variables = "MV2_COMM_WORLD_*",
              .rank = "MV2_COMM_WORLD_RANK",
              .size = "MV2_COMM_WORLD_SIZE",
              .local_rank = "MV2_COMM_WORLD_LOCAL_RANK",
              .local_size = "MV2_COMM_WORLD_LOCAL_SIZE",
              .signs = {},
              .required = {},
              .job = {},
              .give_address = "mpirun_rsh ... MASTER_ADDR=host1 MASTER_PORT=29500 program"});
}

Starter slurm() {
  return {.kind = StarterKind::kSlurm,
          .choice = "slurm",
          .owner = "Slurm",
          .program = "Slurm's srun",
          .variables = "SLURM_PROCID and SLURM_STEP_*",
          .rank = "SLURM_PROCID",
          .size = "SLURM_STEP_NUM_TASKS",
          .local_rank = "SLURM_LOCALID",
          .local_size = "SLURM_STEP_TASKS_PER_NODE",
          // A batch script has SLURM_PROCID=0 too, although no rank was started in it.
          .signs = {"SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST"},
          .required = {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE",
                       "SLURM_NODEID", "SLURM_STEP_NODELIST", "SLURM_JOB_ID", "SLURM_STEP_ID"},
          .job = {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"},
          .give_address = "srun --export=ALL,MASTER_ADDR=host1,MASTER_PORT=29500 ..."};
}

}  // namespace

const std::vector<Starter>& starters() {
  static const std::vector<Starter> table = {torchrun(), open_mpi(), mpich(), mvapich(), slurm()};
  return table;
}

std::vector<std::string> starter_choices() {
  std::vector<std::string> choices;
  for (const Starter& starter : starters()) {
    choices.emplace_back(starter.choice);
  }
  choices.emplace_back(kPlainChoice);
  return choices;
}

}  // namespace lockstep
