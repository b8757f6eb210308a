#include "cli/bench/training_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::bench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

using Words = std::vector<std::string>;

TEST(TrainingTeam, HasAProcessWithOneThreadForEachRank) {
  const WorkerTeam team = make_team({.name = "any",
                                     .training = {.model = Model::kMlp, .batch = 8, .width = 352},
                                     .method = Method::kSharded,
                                     .ranks = 2},
                                    "/x/step");
  EXPECT_EQ(team.name, "any");
  EXPECT_EQ(team.ranks, 2);
  EXPECT_EQ(team.process.environment.at("OMP_NUM_THREADS"), "1");
  EXPECT_THAT(team.commands, ElementsAre(Words{"/x/step", "--model", "mlp", "--batch", "8", "--width", "352",
                                               "--method", "sharded", "--size", "2", "--rank", "0"},
                                         Words{"/x/step", "--model", "mlp", "--batch", "8", "--width", "352",
                                               "--method", "sharded", "--size", "2", "--rank", "1"}));
}

TEST(TrainingTeam, TakesAsManyStepsAsThereIsTimeFor) {
  EXPECT_EQ(steps_within(milliseconds(600), milliseconds(75)), 8);
}

TEST(TrainingTeam, TakesAtLeastTwoSteps) {
  EXPECT_EQ(steps_within(milliseconds(600), milliseconds(500)), 2);
  EXPECT_EQ(steps_within(milliseconds(600), seconds(10)), 2);
}

TEST(TrainingTeam, TakesNotTooManySteps) {
  EXPECT_EQ(steps_within(milliseconds(600), microseconds(1)), 200);
  EXPECT_EQ(steps_within(milliseconds(600), microseconds(0)), 200);
}

TEST(TrainingTeam, TakesAsLongAsItsSlowestRank) {
  Answer first;
  first.times_ns = {1'000'000, 5'000'000};
  Answer second;
  second.times_ns = {2'000'000, 3'000'000};
  EXPECT_THAT(slowest_ms({first, second}), ElementsAre(2, 5));
}

}  // namespace
}  // namespace lockstep::bench
