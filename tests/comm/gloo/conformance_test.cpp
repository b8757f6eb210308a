// The conformance suite over the gloo backend. Its ranks are processes: libtorch is used in them alone.

#include "comm/conformance/conformance.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "comm/gloo/gloo_rank.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;

class GlooConformance : public ::testing::TestWithParam<int> {
 protected:
  static void on_every_rank(const std::function<void(Communicator&)>& check) {
    const int port = free_port();
    run_ranks(GetParam(), RankMode::kProcesses,
              [&](RankContext& rank) {
                Communicator communicator = join_gloo(rank, port);
                EXPECT_EQ(communicator.backend_name(), GetParam() == 1 ? "local" : "gloo");
                check(communicator);
              },
              {.timeout = 280s})
        .expect_all_ok();
  }
};

// 4097 elements come with the announcement, 70,001 go through Gloo, and a mebi-element goes in chunks.
TEST_P(GlooConformance, ReducesShortBuffers) {
  on_every_rank([](Communicator& c) {
    check_reductions(c, {.lengths = {0, 1, 15, 4097}, .every_type = c.size() == 3});
  });
}

TEST_P(GlooConformance, ReducesLongBuffers) {
  on_every_rank(
      [](Communicator& c) { check_reductions(c, {.lengths = {70'001}, .every_type = c.size() == 3}); });
}

TEST_P(GlooConformance, ReducesInChunks) {
  on_every_rank(
      [](Communicator& c) { check_reductions(c, {.lengths = {(2 << 20) + 3}, .every_type = false}); });
}

TEST_P(GlooConformance, MovesData) {
  on_every_rank([](Communicator& c) {
    check_data_movement(c, {.lengths = {0, 1, 15, 4097, 70'001}, .every_type = false});
  });
}

TEST_P(GlooConformance, ExchangesPartsOfDifferentSizes) {
  on_every_rank(check_all_to_all_v);
}
TEST_P(GlooConformance, SendsMessages) {
  on_every_rank(check_messages);
}
TEST_P(GlooConformance, KeepsSeveralInFlight) {
  on_every_rank(check_several_in_flight);
}
TEST_P(GlooConformance, SharesMemoryWhereRanksCan) {
  on_every_rank(check_shared_memory);
}
TEST_P(GlooConformance, SplitsIntoGroups) {
  on_every_rank(check_groups);
}
TEST_P(GlooConformance, RefusesWrongArguments) {
  on_every_rank(check_arguments);
}
TEST_P(GlooConformance, TellsObservers) {
  on_every_rank(check_observers);
}
TEST_P(GlooConformance, IsLeftAloneByAForkedChild) {
  on_every_rank(check_forked_child);
}

INSTANTIATE_TEST_SUITE_P(Ranks, GlooConformance, ::testing::Values(1, 2, 3, 4),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace lockstep::testing
