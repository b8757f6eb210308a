#include "cli/bench/step/variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::bench::step {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
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
  EXPECT_THAT(team.commands, ElementsAre(Words{"/x/step", "--model", "gpt", "--batch", "8", "--method", "ddp",
                                               "--size", "2", "--rank", "0"},
                                         Words{"/x/step", "--model", "gpt", "--batch", "8", "--method", "ddp",
                                               "--size", "2", "--rank", "1"}));
}

TEST(Variant, StartsTheScriptForEachRankOfPytorch) {
  EXPECT_THAT(team_of(Variant::kPytorchDdp).commands,
              ElementsAre(Words{"/y/python", "-B", "/x/worker.py", "--model", "gpt", "--batch", "8", "--size",
                                "2", "--rank", "0"},
                          Words{"/y/python", "-B", "/x/worker.py", "--model", "gpt", "--batch", "8", "--size",
                                "2", "--rank", "1"}));
  EXPECT_THAT(team_of(Variant::kPytorchDdpView).commands[1], Contains("--view"));
  EXPECT_THAT(team_of(Variant::kPytorchDdpFused).commands[1],
              testing::AllOf(Contains("--view"), Contains("--fused")));
}

TEST(Variant, HasOneRankWhereItIsCalledSo) {
  EXPECT_THAT(team_of(Variant::kDdpOneRank).commands, SizeIs(1));
  EXPECT_THAT(team_of(Variant::kDdpOneRank).commands[0], Contains("ddp"));
  EXPECT_THAT(team_of(Variant::kPlainOneRank).commands, SizeIs(1));
  EXPECT_THAT(team_of(Variant::kPlainOneRank).commands[0], Contains("alone"));
}

TEST(Variant, TellsTheRanksHowToTrain) {
  for (const auto& [variant, method] :
       {std::pair(Variant::kCompute, "compute"), std::pair(Variant::kNoComm, "alone"),
        std::pair(Variant::kDdp, "ddp"), std::pair(Variant::kSharded, "sharded"),
        std::pair(Variant::kShardedShared, "sharded-shared")}) {
    EXPECT_THAT(team_of(variant).commands, SizeIs(2));
    EXPECT_THAT(team_of(variant).commands, Each(Contains(method)));
  }
}

TEST(Variant, HasOneProcessInPlaceOfBothRanks) {
  EXPECT_THAT(team_of(Variant::kPytorchThreads).commands,
              ElementsAre(Words{"/y/python", "-B", "/x/worker.py", "--model", "gpt", "--batch", "8", "--size",
                                "1", "--rank", "0", "--threads", "2"}));
  EXPECT_THAT(team_of(Variant::kPytorchThreadsFused).commands,
              ElementsAre(Words{"/y/python", "-B", "/x/worker.py", "--model", "gpt", "--batch", "8", "--size",
                                "1", "--rank", "0", "--threads", "2", "--fused"}));
}

TEST(Variant, GivesEachOfTwoCoresOneThread) {
  for (const Variant variant : kVariants) {
    const bool both = loss_kind(variant) == LossKind::kWholeBatch;
    EXPECT_EQ(team_of(variant).process.environment.at("OMP_NUM_THREADS"), both ? "2" : "1")
        << to_string(variant);
  }
}

TEST(Variant, KnowsWhichOnesArePytorchs) {
  for (const Variant variant : kVariants) {
    EXPECT_EQ(is_pytorch(variant), to_string(variant).starts_with("pytorch")) << to_string(variant);
  }
}

}  // namespace
}  // namespace lockstep::bench::step
