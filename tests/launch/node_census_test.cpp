#include "launch/node_census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "comm/local/local_backend.h"

namespace lockstep {
namespace {

TEST(NodeCensus, NumbersHostsByTheirLowestRank) {
  const std::vector<std::string> by_host = {"b", "b", "a", "a"};
  EXPECT_EQ(find_node(by_host, 1), (NodePlace{.rank = 0, .count = 2}));
  EXPECT_EQ(find_node(by_host, 2), (NodePlace{.rank = 1, .count = 2}));
  const std::vector<std::string> in_turns = {"c", "a", "b", "c", "a"};
  EXPECT_EQ(find_node(in_turns, 3), (NodePlace{.rank = 0, .count = 3}));
  EXPECT_EQ(find_node(in_turns, 4), (NodePlace{.rank = 1, .count = 3}));
}

TEST(NodeCensus, TakesNamesOfAnyLength) {
  Communicator alone(make_local_backend());
  for (const std::string& name :
       {std::string(), std::string("host"), std::string(300, 'x'), this_host_name()}) {
    EXPECT_EQ(take_node_census(alone, name, std::chrono::seconds(10)), NodePlace{}) << name;
  }
}

}  // namespace
}  // namespace lockstep
