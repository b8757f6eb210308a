#include "cli/bench/contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr Pace kTwoRounds{.rounds = 2, .time_per_round = nanoseconds(1), .patience = seconds(30)};

// The workers of `lockstep bench allreduce` stand in for those that train: their step is to add up nothing.
std::string enter_lockstep(Contest& contest, std::string_view name, int ranks) {
  const UniqueFd flags = create_memory_file(sizeof(PingPongFlags));
  return contest.enter(
      name,
      make_team({.implementation = Implementation::kLockstep, .program = LOCKSTEP_PROGRAM, .missing = {}},
                ranks, flags.get()));
}

TEST(Contest, ShiftsTheOrderByOneEachRound) {
  EXPECT_THAT(order_of_turns(0, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(order_of_turns(1, 3), ElementsAre(1, 2, 0));
  EXPECT_THAT(order_of_turns(5, 3), ElementsAre(2, 0, 1));
  EXPECT_THAT(order_of_turns(1, 0), SizeIs(0));
}

TEST(Contest, MeasuresEveryTeamInEveryRound) {
  Progress progress;
  Contest contest("nothing", kTwoRounds, progress);
  EXPECT_THAT(enter_lockstep(contest, "one", 1), StartsWith("lockstep "));
  EXPECT_THAT(enter_lockstep(contest, "two", 2), StartsWith("lockstep "));

  const std::vector<std::vector<Answer>> answers = contest.warm_up(3);
  ASSERT_THAT(answers, ElementsAre(SizeIs(1), SizeIs(2)));
  EXPECT_THAT(answers[1][1].times_ns, SizeIs(3));

  const std::vector<Measurements> seen = contest.take_turns();
  ASSERT_THAT(seen, SizeIs(2));
  for (const Measurements& one : seen) {
    EXPECT_THAT(one.times_ms, SizeIs(4));  // two rounds of the least number of steps
    EXPECT_THAT(one.times_ms, Each(Gt(0)));
    EXPECT_GT(one.peak_rss_bytes, 0U);
    EXPECT_GT(one.total_memory_bytes, 0U);
  }
}

TEST(Contest, NamesTheTeamThatDoesNotStart) {
  Progress progress;
  Contest contest("nothing", kTwoRounds, progress);
  try {
    contest.enter("broken", {.name = "broken (nothing)", .ranks = 1, .commands = {{"/bin/false"}}});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "rank 0 of 1 of broken (nothing) exited with code 1 before it connected");
  }
}

}  // namespace
}  // namespace lockstep::bench
