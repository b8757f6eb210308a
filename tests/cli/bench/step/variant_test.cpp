#include "cli/bench/step/variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::bench::step {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::SizeIs;

using Words = std::vector<std::string>;

const Programs kPrograms{.step_worker = "/x/step", .python = "/y/python", .pytorch_worker = "/x/worker.py"};

WorkerTeam team_of(Variant variant) {
  return make_team(variant, {.model = Model::kGpt, .batch = 8}, kPrograms);
}

TEST(Variant, StartsAHelperForEachRankOfDdp) {
  const WorkerTeam team = team_of(Variant::kDdp);
  EXPECT_EQ(team.name, "ddp (gpt:8)");
  EXPECT_EQ(team.ranks, 2);
  EXPECT_THAT(
      team.commands,
      ElementsAre(Words{"/x/step", "--model", "gpt", "--batch", "8", "--size", "2", "--rank", "0", "--ddp"},
                  Words{"/x/step", "--model", "gpt", "--batch", "8", "--size", "2", "--rank", "1", "--ddp"}));
}

TEST(Variant, StartsTheScriptForEachRankOfPytorch) {
  EXPECT_THAT(team_of(Variant::kPytorchDdp).commands,
              ElementsAre(Words{"/y/python", "-B", "/x/worker.py", "--model", "gpt", "--batch", "8", "--size",
                                "2", "--rank", "0"},
                          Words{"/y/python", "-B", "/x/worker.py", "--model", "gpt", "--batch", "8", "--size",
                                "2", "--rank", "1"}));
  EXPECT_THAT(team_of(Variant::kPytorchDdpView).commands[1], Contains("--view"));
}

TEST(Variant, HasOneRankWhereItIsCalledSo) {
  EXPECT_THAT(team_of(Variant::kDdpOneRank).commands, SizeIs(1));
  EXPECT_THAT(team_of(Variant::kDdpOneRank).commands[0], Contains("--ddp"));
  EXPECT_THAT(team_of(Variant::kPlainOneRank).commands, SizeIs(1));
  EXPECT_THAT(team_of(Variant::kPlainOneRank).commands[0], Not(Contains("--ddp")));
}

TEST(Variant, KeepsTheRanksOfNoCommApart) {
  for (const Words& words : team_of(Variant::kNoComm).commands) {
    EXPECT_THAT(words, Not(Contains("--ddp")));
  }
}

TEST(Variant, GivesEveryRankOneThread) {
  for (const Variant variant : kVariants) {
    EXPECT_EQ(team_of(variant).process.environment.at("OMP_NUM_THREADS"), "1") << to_string(variant);
  }
}

}  // namespace
}  // namespace lockstep::bench::step
