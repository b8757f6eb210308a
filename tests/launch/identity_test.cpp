#include "launch/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Variables torchrun(int rank) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", "8"},
          {"LOCAL_RANK", std::to_string(rank % 4)},
          {"LOCAL_WORLD_SIZE", "4"},
          {"GROUP_RANK", std::to_string(rank / 4)},
          {"GROUP_WORLD_SIZE", "2"},
          {"MASTER_ADDR", "10.0.0.1"},
          {"MASTER_PORT", "29500"},
          {"TORCHELASTIC_RUN_ID", "job7"},
          {"TORCHELASTIC_RESTART_COUNT", "1"}};
}

std::string refusal(const Variables& variables) {
  try {
    identify(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(Identity, IsAWorldOfOneWhenNothingIsSet) {
  EXPECT_EQ(identify({}), Identity{});
  EXPECT_EQ(identify({{"RANK", ""}, {"WORLD_SIZE", ""}}), Identity{}) << "empty is not set";
  EXPECT_EQ(identify({{"WORLD_SIZE", "1"}}), Identity{});
}

TEST(Identity, IsReadAsTorchrunWritesIt) {
  const Identity identity = identify(torchrun(5));
  EXPECT_EQ(identity.rank, 5);
  EXPECT_EQ(identity.size, 8);
  EXPECT_EQ(identity.local_rank, 1);
  EXPECT_EQ(identity.local_size, 4);
  EXPECT_EQ(identity.node_rank, 1);
  EXPECT_EQ(identity.node_count, 2);
  EXPECT_EQ(identity.master_address, "10.0.0.1");
  EXPECT_EQ(identity.master_port, 29500);
  EXPECT_EQ(identity.token, "10.0.0.1:29500/job7/1");
}

TEST(Identity, HasOneTokenPerJobAndRestart) {
  EXPECT_EQ(identify(torchrun(0)).token, identify(torchrun(7)).token);
  Variables restarted = torchrun(0);
  restarted["TORCHELASTIC_RESTART_COUNT"] = "2";
  EXPECT_NE(identify(restarted).token, identify(torchrun(0)).token);
}

TEST(Identity, DerivesTheLocalPartOnOneHost) {
  const Identity identity =
      identify({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "1234"}});
  EXPECT_EQ(identity.local_rank, 3);
  EXPECT_EQ(identity.local_size, 4);
  EXPECT_EQ(identity.node_rank, 0);
  EXPECT_EQ(identity.node_count, 1);
}

TEST(Identity, ReadsNodeRankWhereThereIsNoGroupRank) {
  Variables variables = torchrun(6);
  variables.erase("GROUP_RANK");
  variables["NODE_RANK"] = "1";
  EXPECT_EQ(identify(variables).node_rank, 1);
}

TEST(Identity, ListsEveryVariableThatIsMissing) {
  const std::string text = refusal({{"RANK", "1"}});
  EXPECT_THAT(text, HasSubstr("WORLD_SIZE is not set"));
  EXPECT_THAT(text, HasSubstr("MASTER_ADDR is not set"));
  EXPECT_THAT(text, HasSubstr("MASTER_PORT is not set"));
}

TEST(Identity, RefusesWhatIsNoNumber) {
  Variables variables = torchrun(1);
  variables["RANK"] = "one";
  variables["MASTER_PORT"] = "70000";
  const std::string text = refusal(variables);
  EXPECT_THAT(text, HasSubstr("RANK='one' is not a number from 0 to"));
  EXPECT_THAT(text, HasSubstr("MASTER_PORT='70000' is not a number from 1 to 65535"));
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
}

TEST(Identity, AsksHowManyRanksAreHereWhenTheMasterIsElsewhere) {
  Variables variables = torchrun(1);
  variables.erase("LOCAL_WORLD_SIZE");
  EXPECT_THAT(refusal(variables),
              HasSubstr("LOCAL_WORLD_SIZE is not set, and MASTER_ADDR=10.0.0.1 does not tell"));
}

}  // namespace
}  // namespace lockstep
