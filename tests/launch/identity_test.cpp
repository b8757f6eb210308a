#include "launch/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "launch/refusal.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

const Identity kAlone;

Identity identity_from(const Variables& variables) {
  return identify_alone(variables).identity;
}

TEST(Identity, IsAWorldOfOneWhenNothingIsSet) {
  EXPECT_EQ(identity_from({}), kAlone);
  EXPECT_EQ(identity_from({{"RANK", ""}, {"WORLD_SIZE", ""}}), kAlone) << "empty is not set";
}

TEST(Identity, IsAWorldOfOneWhenAStarterSaysSo) {
  EXPECT_EQ(identity_from({{"WORLD_SIZE", "1"}}), kAlone);
  EXPECT_EQ(identity_from({{"WORLD_SIZE", "1"}, {"RANK", "0"}}), kAlone);
  EXPECT_EQ(identity_from(open_mpi(0, 1, 0, 1)), kAlone);
  EXPECT_EQ(identity_from(mpich(0, 1, 0, 1)), kAlone);
  EXPECT_EQ(identity_from({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}), kAlone);
}

TEST(Identity, IsReadAsTorchrunWritesIt) {
  const Identity identity = identity_from(torchrun(5));
  EXPECT_EQ(identity.rank, 5);
  EXPECT_EQ(identity.size, 8);
  EXPECT_EQ(identity.local_rank, 1);
  EXPECT_EQ(identity.local_size, 4);
  EXPECT_EQ(identity.node_rank, 1);
  EXPECT_EQ(identity.node_count, 2);
  EXPECT_EQ(identity.master_address, "10.0.0.1");
  EXPECT_EQ(identity.master_port, 29500);
  EXPECT_EQ(identity.token, "torchrun/10.0.0.1:29500/job7/1");
}

TEST(Identity, IsReadAsOpenMpiWritesItOnOneHost) {
  EXPECT_EQ(identity_from(open_mpi(1, 4, 1, 4)),
            (Identity{.rank = 1,
                      .size = 4,
                      .local_rank = 1,
                      .local_size = 4,
                      .master_address = "",
                      .token = "openmpi/:0/1161691137/81243dacba4ccbe7-1ec21941c9c3d508"}));
}

TEST(Identity, IsReadAsHydraWritesItOnOneHost) {
  const auto recognition = identify(mpich(2, 3, 2, 3), [](std::string_view variable) {
    EXPECT_EQ(variable, "PMI_RANK");
    return 4711;
  });
  EXPECT_EQ(recognition.identity, (Identity{.rank = 2,
                                            .size = 3,
                                            .local_rank = 2,
                                            .local_size = 3,
                                            .master_address = "",
                                            .token = "mpich/:0/4711"}));
}

TEST(Identity, IsReadAsMvapichWritesItOnOneHost) {
  const auto recognition = identify(mvapich(0, 2, 0, 2), [](std::string_view) { return 4711; });
  EXPECT_EQ(recognition.identity, (Identity{.rank = 0,
                                            .size = 2,
                                            .local_rank = 0,
                                            .local_size = 2,
                                            .master_address = "",
                                            .token = "mvapich/:0/4711"}));
}

TEST(Identity, IsReadAsSlurmWritesIt) {
  EXPECT_EQ(identity_from(slurm()), (Identity{.rank = 3,
                                              .size = 4,
                                              .local_rank = 0,
                                              .local_size = 1,
                                              .node_rank = 1,
                                              .node_count = 2,
                                              .master_address = "gpu08",
                                              .master_port = 15000 + (1234 * 31) % 16384,
                                              .token = "slurm/gpu08:20486/1234/0/"}));
}

TEST(Identity, TakesTheAddressThatIsSet) {
  const Variables address = {{"MASTER_ADDR", "10.0.0.7"}, {"MASTER_PORT", "1234"}};
  const auto setter = [](std::string_view) { return 1; };
  for (const Variables& variables : {open_mpi(1, 4, 1, 4), mpich(1, 4, 1, 4), mvapich(1, 4, 1, 4), slurm()}) {
    const Identity identity = identify(both(variables, address), setter).identity;
    EXPECT_EQ(identity.master_address, "10.0.0.7");
    EXPECT_EQ(identity.master_port, 1234);
    EXPECT_THAT(identity.token, HasSubstr("/10.0.0.7:1234"));
  }
}

TEST(Identity, LeavesNodesToTheRanksUnderMpiOnSeveralHosts) {
  const Variables address = {{"MASTER_ADDR", "10.0.0.7"}, {"MASTER_PORT", "1234"}};
  for (const Variables& variables : {open_mpi(3, 4, 1, 2), mpich(3, 4, 1, 2), mvapich(3, 4, 1, 2)}) {
    const Identity identity = identity_from(both(variables, address));
    EXPECT_EQ(identity.rank, 3);
    EXPECT_EQ(identity.local_rank, 1);
    EXPECT_EQ(identity.local_size, 2);
    EXPECT_EQ(identity.node_count, 0);
    EXPECT_THAT(identity.token, HasSubstr("/10.0.0.7:1234"));
  }
}

TEST(Identity, AsksForTheAddressUnderMpiOnSeveralHosts) {
  EXPECT_EQ(refusal(open_mpi(3, 4, 1, 2)),
            "  only 2 of 4 ranks are on this host, but MASTER_ADDR and MASTER_PORT are not set; tell all "
            "ranks where rank "
            "0 is: mpirun -x MASTER_ADDR=host1 -x MASTER_PORT=29500 ...");
  EXPECT_EQ(refusal(both(mpich(3, 4, 1, 2), {{"MASTER_ADDR", "host1"}})),
            "  only 2 of 4 ranks are on this host, but MASTER_PORT is not set; tell all ranks where rank 0 "
            "is: mpiexec "
            "-genv MASTER_ADDR host1 -genv MASTER_PORT 29500 ...");
  EXPECT_THAT(refusal(mvapich(3, 4, 1, 2)),
              HasSubstr("mpirun_rsh ... MASTER_ADDR=host1 MASTER_PORT=29500 program"));
}

TEST(Identity, HasOneTokenPerJobAndRestart) {
  EXPECT_EQ(identity_from(torchrun(0)).token, identity_from(torchrun(7)).token);
  EXPECT_EQ(identity_from(open_mpi(0, 2, 0, 2)).token, identity_from(open_mpi(1, 2, 1, 2)).token);
  EXPECT_EQ(identity_from(slurm(0)).token, identity_from(slurm(3)).token);
  const auto token_with = [](Variables variables, const char* name, const char* value) {
    variables[name] = value;
    return identity_from(variables).token;
  };
  EXPECT_NE(token_with(torchrun(0), "TORCHELASTIC_RESTART_COUNT", "2"), identity_from(torchrun(0)).token);
  EXPECT_NE(token_with(open_mpi(0, 2, 0, 2), "PMIX_NAMESPACE", "1161691138"),
            identity_from(open_mpi(0, 2, 0, 2)).token);
  EXPECT_NE(token_with(slurm(), "SLURM_STEP_ID", "1"), identity_from(slurm()).token);
  EXPECT_NE(token_with(slurm(), "SLURM_RESTART_COUNT", "1"), identity_from(slurm()).token);
}

TEST(Identity, TellsJobsOfOpenMpiApartWithoutItsPrivateVariables) {
  Variables variables = open_mpi(0, 2, 0, 2);
  variables.erase("PMIX_NAMESPACE");
  variables.erase("OMPI_MCA_orte_precondition_transports");
  EXPECT_EQ(identify(variables, [](std::string_view) { return 4711; }).identity.token, "openmpi/:0///4711");
}

TEST(Identity, DerivesTheLocalPartOnOneHost) {
  const Identity identity = identity_from(
      {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "1234"}});
  EXPECT_EQ(identity.local_rank, 3);
  EXPECT_EQ(identity.local_size, 4);
  EXPECT_EQ(identity.node_rank, 0);
  EXPECT_EQ(identity.node_count, 1);
}

TEST(Identity, ReadsNodeRankWhereThereIsNoGroupRank) {
  Variables variables = torchrun(6);
  variables.erase("GROUP_RANK");
  variables["NODE_RANK"] = "1";
  EXPECT_EQ(identity_from(variables).node_rank, 1);
}

TEST(Identity, RefusesWhatIsNoNumber) {
  Variables variables = torchrun(1);
  variables["RANK"] = "one";
  variables["LOCAL_WORLD_SIZE"] = "9";
  variables["MASTER_PORT"] = "70000";
  EXPECT_EQ(refusal(variables),
            "  RANK='one' is not a number from 0 to 1048576\n"
            "  MASTER_PORT='70000' is not a number from 1 to 65535\n"
            "  LOCAL_WORLD_SIZE='9' is not a number from 1 to 8");
  variables = open_mpi(0, 2, 0, 2);
  variables["OMPI_COMM_WORLD_LOCAL_RANK"] = "0\n";
  EXPECT_EQ(refusal(variables), "  OMPI_COMM_WORLD_LOCAL_RANK='0\\n' is not a number from 0 to 1");
}

TEST(Identity, RefusesContradictions) {
  Variables variables = torchrun(1);
  variables["RANK"] = "8";
  EXPECT_THAT(refusal(variables), HasSubstr("RANK=8 is not below WORLD_SIZE=8"));
  variables = torchrun(1);
  variables["LOCAL_RANK"] = "4";
  EXPECT_THAT(refusal(variables), HasSubstr("LOCAL_RANK=4 is not below LOCAL_WORLD_SIZE=4"));
  variables = torchrun(1);
  variables["GROUP_RANK"] = "2";
  EXPECT_THAT(refusal(variables), HasSubstr("this is node 2, but there are only 2"));
  EXPECT_EQ(refusal(open_mpi(4, 4, 0, 4)), "  OMPI_COMM_WORLD_RANK=4 is not below OMPI_COMM_WORLD_SIZE=4");
  EXPECT_EQ(refusal(both(mpich(3, 4, 2, 2), {{"MASTER_ADDR", "host1"}, {"MASTER_PORT", "1234"}})),
            "  MPI_LOCALRANKID=2 is not below MPI_LOCALNRANKS=2");
  EXPECT_EQ(refusal({{"WORLD_SIZE", "1"}, {"RANK", "3"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}}),
            "  RANK=3 is not below WORLD_SIZE=1");
}

TEST(Identity, AsksHowManyRanksAreHereWhenTheMasterIsElsewhere) {
  Variables variables = torchrun(1);
  variables.erase("LOCAL_WORLD_SIZE");
  EXPECT_EQ(
      refusal(variables),
      "  LOCAL_WORLD_SIZE is not set, and MASTER_ADDR=10.0.0.1 does not tell how many of the 8 ranks are on "
      "this host");
}

TEST(Recognition, IsDescribedInOneLine) {
  EXPECT_EQ(identify_alone({}).describe(), "this is the only rank: no launcher has set its variables");
  EXPECT_EQ(
      identify_alone(
          both(open_mpi(3, 4, 1, 2), both(slurm(), {{"MASTER_ADDR", "host1"}, {"MASTER_PORT", "1234"}})))
          .describe(),
      "this is rank 3 of 4 (2 on this host): Open MPI's OMPI_COMM_WORLD_* variables; Slurm's were there too");
}

}  // namespace
}  // namespace lockstep::testing
