#include "launch/starter_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "launch/refusal.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

std::string reason(const Variables& variables) {
  return identify_alone(variables).reason;
}

Variables forced(const std::string& choice, const Variables& variables = {}) {
  return both({{"LOCKSTEP_ENV", choice}}, variables);
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

TEST(StarterChoice, TakesTheOnlyOneThatIsThere) {
  EXPECT_EQ(reason({}), "no launcher has set its variables");
  EXPECT_EQ(reason(torchrun(0)), "torchrun's RANK and WORLD_SIZE variables");
  EXPECT_EQ(reason(open_mpi(0, 2, 0, 2)), "Open MPI's OMPI_COMM_WORLD_* variables");
  EXPECT_EQ(reason(slurm()), "Slurm's SLURM_PROCID and SLURM_STEP_* variables");
  const auto setter = [](std::string_view) { return 1; };
  EXPECT_EQ(identify(mpich(0, 2, 0, 2), setter).reason, "MPICH's PMI_* variables");
  EXPECT_EQ(identify(mvapich(0, 2, 0, 2), setter).reason, "MVAPICH's MV2_COMM_WORLD_* variables");
}

TEST(StarterChoice, DoesNotTakeABatchScriptForARank) {
  EXPECT_EQ(reason(batch_script()), "this Slurm job has SLURM_NTASKS=4, but no srun started this process");
  Variables one_task = batch_script();
  one_task["SLURM_NTASKS"] = "1";
  EXPECT_EQ(reason(one_task), "no launcher has set its variables");
  EXPECT_EQ(identify_alone(batch_script()).identity.size, 1);
}

TEST(StarterChoice, PrefersMpiToTheSlurmJobAroundIt) {
  // mpirun starts one daemon a node through srun; the ranks inherit what the daemon was told.
  const Recognition recognition = identify_alone(both(open_mpi(1, 8, 1, 8), slurm()));
  EXPECT_EQ(recognition.identity.rank, 1);
  EXPECT_EQ(recognition.identity.size, 8);
  EXPECT_EQ(recognition.reason, "Open MPI's OMPI_COMM_WORLD_* variables; Slurm's were there too");
}

TEST(StarterChoice, PrefersTorchrunToWhateverStartedIt) {
  const Recognition in_slurm = identify_alone(both(torchrun(5), slurm()));
  EXPECT_EQ(in_slurm.identity.rank, 5);
  EXPECT_EQ(in_slurm.reason, "torchrun's RANK and WORLD_SIZE variables; Slurm's were there too");
  const Recognition in_both = identify_alone(both(torchrun(5), both(slurm(), open_mpi(1, 2, 0, 1))));
  EXPECT_EQ(in_both.identity.rank, 5);
  EXPECT_EQ(in_both.reason,
            "torchrun's RANK and WORLD_SIZE variables; Open MPI's and Slurm's were there too");
}

TEST(StarterChoice, DoesNotMindTheShellOfASlurmAllocation) {
  const Variables shell = {{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}};
  const Recognition recognition = identify_alone(both(by_hand(3), shell));
  EXPECT_EQ(recognition.identity.rank, 3);
  EXPECT_EQ(recognition.reason, "torchrun's RANK and WORLD_SIZE variables; Slurm's were there too");
}

TEST(StarterChoice, RefusesTwoThatContradictEachOther) {
  EXPECT_EQ(
      refusal(both(by_hand(3), open_mpi(1, 4, 1, 4))),
      "  torchrun's RANK=3 contradicts Open MPI's OMPI_COMM_WORLD_RANK=1; say LOCKSTEP_ENV=torchrun or "
      "LOCKSTEP_ENV=openmpi, whichever is right\n"
      "  torchrun's WORLD_SIZE=8 contradicts Open MPI's OMPI_COMM_WORLD_SIZE=4; say LOCKSTEP_ENV=torchrun or "
      "LOCKSTEP_ENV=openmpi, whichever is right");
  EXPECT_THAT(refusal(both(by_hand(3), slurm())),
              HasSubstr("torchrun's WORLD_SIZE=8 contradicts Slurm's SLURM_STEP_NUM_TASKS=4"));
  EXPECT_THAT(refusal(both({{"WORLD_SIZE", "1"}}, open_mpi(1, 4, 1, 4))),
              HasSubstr("torchrun's WORLD_SIZE=1 contradicts Open MPI's OMPI_COMM_WORLD_SIZE=4"));
}

TEST(StarterChoice, AcceptsTwoThatAgree) {
  EXPECT_EQ(reason(both(by_hand(3), open_mpi(3, 8, 3, 4))),
            "torchrun's RANK and WORLD_SIZE variables; Open MPI's were there too");
}

TEST(StarterChoice, TakesTheCompleteOneBesideAPartOfAnother) {
  // srun --mpi=pmi2 sets these two and no local rank.
  EXPECT_EQ(reason(both(slurm(), {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}})),
            "Slurm's SLURM_PROCID and SLURM_STEP_* variables; MPICH's were there too");
  // A script that hands on what mpirun said, but no address.
  EXPECT_EQ(reason(both(open_mpi(1, 2, 1, 2), {{"RANK", "1"}, {"WORLD_SIZE", "2"}})),
            "Open MPI's OMPI_COMM_WORLD_* variables; torchrun's were there too");
  EXPECT_THAT(refusal(both(open_mpi(1, 2, 1, 2), {{"RANK", "0"}})),
              HasSubstr("Open MPI's OMPI_COMM_WORLD_RANK=1 contradicts torchrun's RANK=0"));
}

TEST(StarterChoice, ListsEveryVariableThatIsMissing) {
  EXPECT_EQ(refusal({{"RANK", "1"}, {"MASTER_PORT", "0"}}),
            "  RANK and MASTER_PORT are set, but WORLD_SIZE and MASTER_ADDR are not; torchrun sets all of "
            "them on each "
            "rank\n"
            "  MASTER_PORT='0' is not a number from 1 to 65535");
  EXPECT_EQ(refusal({{"RANK", "1"}}),
            "  RANK is set, but WORLD_SIZE, MASTER_ADDR and MASTER_PORT are not; torchrun sets all of them "
            "on each rank");
  EXPECT_EQ(refusal(without(open_mpi(0, 2, 0, 2), "OMPI_COMM_WORLD_SIZE")),
            "  OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_LOCAL_RANK and OMPI_COMM_WORLD_LOCAL_SIZE are set, but "
            "OMPI_COMM_WORLD_SIZE is not; Open MPI's mpirun sets all of them on each rank");
  EXPECT_THAT(refusal(without(mpich(0, 2, 0, 2), "MPI_LOCALNRANKS")),
              HasSubstr("but MPI_LOCALNRANKS is not; MPICH's mpiexec sets all of them on each rank"));
  EXPECT_THAT(
      refusal(without(mvapich(0, 2, 0, 2), "MV2_COMM_WORLD_RANK")),
      HasSubstr("but MV2_COMM_WORLD_RANK is not; MVAPICH's mpirun_rsh sets all of them on each rank"));
  EXPECT_THAT(refusal(without(slurm(), "SLURM_PROCID")),
              HasSubstr("but SLURM_PROCID is not; Slurm's srun sets all of them on each rank"));
}

TEST(StarterChoice, NamesWhatIsMissingInEachOfTwoParts) {
  EXPECT_EQ(refusal({{"RANK", "1"}, {"PMI_SIZE", "2"}}),
            "  RANK is set, but WORLD_SIZE, MASTER_ADDR and MASTER_PORT are not; torchrun sets all of them "
            "on each rank\n"
            "  PMI_SIZE is set, but PMI_RANK, MPI_LOCALRANKID and MPI_LOCALNRANKS are not; MPICH's mpiexec "
            "sets all of "
            "them on each rank");
}

TEST(StarterChoice, CanBeForced) {
  const Recognition open = identify_alone(forced("openmpi", both(open_mpi(1, 4, 1, 4), torchrun(5))));
  EXPECT_EQ(open.identity.rank, 1);
  EXPECT_EQ(
      open.reason,
      "Open MPI's OMPI_COMM_WORLD_* variables, as LOCKSTEP_ENV=openmpi wants it; torchrun's were there too");
  EXPECT_EQ(identify_alone(forced("slurm", both(slurm(), torchrun(5)))).identity.rank, 3);
  EXPECT_EQ(identify_alone(forced("torchrun", both(by_hand(5), slurm()))).identity.rank, 5);
  const Recognition plain = identify_alone(forced("plain", slurm()));
  EXPECT_EQ(plain.identity, Identity{});
  EXPECT_EQ(plain.reason, "LOCKSTEP_ENV=plain; Slurm's variables were there too");
  EXPECT_EQ(reason(forced("plain")), "LOCKSTEP_ENV=plain");
}

TEST(StarterChoice, SaysWhatAForcedOneLacks) {
  EXPECT_EQ(refusal(forced("openmpi", both(slurm(), {{"OMPI_COMM_WORLD_RANK", "1"}}))),
            "  LOCKSTEP_ENV=openmpi, but OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_LOCAL_RANK and "
            "OMPI_COMM_WORLD_LOCAL_SIZE are not set; Open MPI's mpirun sets all that is needed on each rank");
  EXPECT_THAT(refusal(forced("slurm", batch_script())),
              HasSubstr("LOCKSTEP_ENV=slurm, but SLURM_STEP_NUM_TASKS, SLURM_STEP_TASKS_PER_NODE, "
                        "SLURM_STEP_NODELIST and SLURM_STEP_ID are not set; Slurm's srun"));
}

TEST(StarterChoice, SaysWhatCanBeForced) {
  EXPECT_EQ(
      refusal(forced("openmp", torchrun(5))),
      "  LOCKSTEP_ENV='openmp' is none of torchrun, openmpi, mpich, mvapich, slurm, plain; did you mean "
      "'openmpi'?");
  EXPECT_EQ(refusal(forced("kubernetes")),
            "  LOCKSTEP_ENV='kubernetes' is none of torchrun, openmpi, mpich, mvapich, slurm, plain");
}

}  // namespace
}  // namespace lockstep::testing
