#include "cli/bench/contender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace lockstep::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Words = std::vector<std::string>;

TEST(Contender, StartsAProcessOfItsOwnForEachRankOfLockstep) {
  const WorkerTeam team = make_team(
      {.implementation = Implementation::kLockstep, .program = "/bin/lockstep", .missing = {}}, 2, 9);
  EXPECT_EQ(team.name, "lockstep");
  EXPECT_EQ(team.ranks, 2);
  EXPECT_THAT(
      team.commands,
      ElementsAre(
          Words{"/bin/lockstep", "bench", "worker", "--flags-fd", "9", "--size", "2", "--rank", "0"},
          Words{"/bin/lockstep", "bench", "worker", "--flags-fd", "9", "--size", "2", "--rank", "1"}));
  EXPECT_THAT(team.process.inherited_fds, ElementsAre(9));
}

TEST(Contender, StartsAHelperForEachRankOfGloo) {
  const WorkerTeam team =
      make_team({.implementation = Implementation::kGloo, .program = "/x/gloo", .missing = {}}, 2, 9);
  EXPECT_THAT(team.commands, ElementsAre(Words{"/x/gloo", "--size", "2", "--rank", "0"},
                                         Words{"/x/gloo", "--size", "2", "--rank", "1"}));
  EXPECT_THAT(team.process.inherited_fds, IsEmpty());
}

TEST(Contender, LeavesTheRanksOfOpenMpiToItsLauncher) {
  const WorkerTeam team =
      make_team({.implementation = Implementation::kOpenMpi, .program = "/x/mpi", .missing = {}}, 4, 9);
  EXPECT_EQ(team.ranks, 4);
  EXPECT_THAT(team.commands, ElementsAre(Words{"mpirun", "--allow-run-as-root", "--oversubscribe",
                                               "--bind-to", "none", "-n", "4", "/x/mpi", "--size", "4"}));
  EXPECT_EQ(team.process.parent_death_signal, SIGTERM);
}

// This test program lies in the same folder as lockstep, but need not have all helpers beside it.
TEST(Contender, SaysWhatIsMissing) {
  EXPECT_THAT(find_contender(Implementation::kLockstep).missing, IsEmpty());
  for (const Implementation implementation : {Implementation::kGloo, Implementation::kOpenMpi}) {
    const Contender contender = find_contender(implementation);
    EXPECT_TRUE(!contender.program.empty() || !contender.missing.empty()) << to_string(implementation);
  }
}

}  // namespace
}  // namespace lockstep::bench
