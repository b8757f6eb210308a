#include "cli/bench/contender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Words = std::vector<std::string>;

TEST(Contender, StartsAProcessOfItsOwnForEachRankOfLockstep) {
  EXPECT_THAT(worker_commands(
                  {.implementation = Implementation::kLockstep, .program = "/bin/lockstep", .missing = {}},
                  {.ranks = 2, .socket = "s", .flags_fd = 9}),
              ElementsAre(Words{"/bin/lockstep", "bench", "worker", "--flags-fd", "9", "--socket", "s",
                                "--size", "2", "--rank", "0"},
                          Words{"/bin/lockstep", "bench", "worker", "--flags-fd", "9", "--socket", "s",
                                "--size", "2", "--rank", "1"}));
}

TEST(Contender, StartsAHelperForEachRankOfGloo) {
  EXPECT_THAT(worker_commands({.implementation = Implementation::kGloo, .program = "/x/gloo", .missing = {}},
                              {.ranks = 2, .socket = "s", .flags_fd = 9}),
              ElementsAre(Words{"/x/gloo", "--socket", "s", "--size", "2", "--rank", "0"},
                          Words{"/x/gloo", "--socket", "s", "--size", "2", "--rank", "1"}));
}

TEST(Contender, LeavesTheRanksOfOpenMpiToItsLauncher) {
  EXPECT_THAT(
      worker_commands({.implementation = Implementation::kOpenMpi, .program = "/x/mpi", .missing = {}},
                      {.ranks = 4, .socket = "s", .flags_fd = 9}),
      ElementsAre(Words{"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "4",
                        "/x/mpi", "--socket", "s", "--size", "4"}));
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
