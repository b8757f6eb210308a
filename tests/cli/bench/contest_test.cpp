#include "cli/bench/contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/unique_fd.h"
#include "cli/bench/contender.h"
#include "cli/bench/ping_pong_flags.h"
#include "comm/shm/memory_file.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::SizeIs;
using testing::StartsWith;

Pace two_rounds(bool anew) {
  return {.rounds = 2, .time_per_round = nanoseconds(1), .patience = seconds(30), .anew = anew};
}

// The workers of `lockstep bench allreduce` stand in for those that train: their step is to add up nothing. `flags` has
// to be there when they start.
void enter_lockstep(Contest& contest, std::string_view name, int ranks, const UniqueFd& flags) {
  contest.enter(
      name,
      make_team({.implementation = Implementation::kLockstep, .program = LOCKSTEP_PROGRAM, .missing = {}},
                ranks, flags.get()));
}

// Whether teams start anew for each turn.
class EveryContest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Teams, EveryContest, testing::Bool(),
                         [](const auto& instance) { return std::string(instance.param ? "anew" : "kept"); });

TEST(Contest, ShiftsTheOrderByOneEachRound) {
  EXPECT_THAT(order_of_turns(0, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(order_of_turns(1, 3), ElementsAre(1, 2, 0));
  EXPECT_THAT(order_of_turns(5, 3), ElementsAre(2, 0, 1));
  EXPECT_THAT(order_of_turns(1, 0), SizeIs(0));
}

TEST_P(EveryContest, MeasuresEveryTeamInEveryRound) {
  Progress progress;
  const UniqueFd flags = create_memory_file(sizeof(PingPongFlags));
  Contest contest("nothing", two_rounds(GetParam()), progress);
  enter_lockstep(contest, "one", 1, flags);
  enter_lockstep(contest, "two", 2, flags);

  const std::vector<Contest::WarmUp> warm_ups = contest.warm_up(3);
  ASSERT_THAT(warm_ups, SizeIs(2));
  EXPECT_THAT(warm_ups[0].version, StartsWith("lockstep "));
  EXPECT_THAT(warm_ups[0].answers, SizeIs(1));
  ASSERT_THAT(warm_ups[1].answers, SizeIs(2));
  EXPECT_THAT(warm_ups[1].answers[1].times_ns, SizeIs(3));

  const std::vector<Measurements> seen = contest.take_turns();
  ASSERT_THAT(seen, SizeIs(2));
  for (const Measurements& one : seen) {
    EXPECT_THAT(one.times_ms, SizeIs(4));  // two rounds of the least number of steps
    EXPECT_THAT(one.times_ms, Each(Gt(0)));
    EXPECT_GT(one.peak_rss_bytes, 0U);
    EXPECT_GT(one.total_memory_bytes, 0U);
  }
}

TEST_P(EveryContest, LooksAtTheCoresAroundEveryTurn) {
  Progress progress;
  const UniqueFd flags = create_memory_file(sizeof(PingPongFlags));
  int looks = 0;
  CoreWatch watch([&] {
    ++looks;
    return std::optional(100.0);
  });
  Contest contest("nothing", two_rounds(GetParam()), progress, &watch);
  enter_lockstep(contest, "one", 1, flags);
  enter_lockstep(contest, "two", 1, flags);
  contest.warm_up(1);
  EXPECT_EQ(looks, 0);
  contest.take_turns();
  EXPECT_EQ(looks, 8);
  EXPECT_EQ(watch.summary()->blocks.at(Proximity::kSameL3), 4);
}

// A process has its parent to ask: those of a team that starts anew are gone when its turn is over.
TEST_P(EveryContest, LeavesOnlyTeamsThatStay) {
  Progress progress;
  const UniqueFd flags = create_memory_file(sizeof(PingPongFlags));
  Contest contest("nothing", two_rounds(GetParam()), progress);
  enter_lockstep(contest, "one", 1, flags);
  contest.warm_up(1);
  contest.take_turns();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), GetParam() ? -1 : 0);
}

TEST_P(EveryContest, NamesTheTeamThatDoesNotStart) {
  Progress progress;
  Contest contest("nothing", two_rounds(GetParam()), progress);
  contest.enter("broken", {.name = "broken (nothing)", .ranks = 1, .commands = {{"/bin/false"}}});
  try {
    contest.warm_up(1);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "rank 0 of 1 of broken (nothing) exited with code 1 before it connected");
  }
}

}  // namespace
}  // namespace lockstep::bench
