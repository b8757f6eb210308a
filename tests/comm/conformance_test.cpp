// The conformance suite over the backends of the core: local, and shm with threads and with processes as ranks.

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "comm/conformance/conformance.h"
#include "comm/local/local_backend.h"
#include "comm/shm/shm_backend.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;

struct Arrangement {
  std::string name;
  int ranks;
  RankMode mode;
};

std::vector<Arrangement> arrangements() {
  std::vector<Arrangement> all = {{"Local", 1, RankMode::kThreads}};
  for (const int ranks : {1, 2, 3, 4, 8}) {
    all.push_back({"ShmThreads" + std::to_string(ranks), ranks, RankMode::kThreads});
    all.push_back({"ShmProcesses" + std::to_string(ranks), ranks, RankMode::kProcesses});
  }
  return all;
}

class Conformance : public ::testing::TestWithParam<Arrangement> {
 protected:
  // Runs `check` as every rank, on a communicator of the backend under test. Small staging areas make many chunks
  // out of little data.
  static void on_every_rank(const std::function<void(Communicator&)>& check,
                            std::size_t staging_bytes = 16 << 10) {
    const Arrangement& arrangement = GetParam();
    const std::string token = "conformance " + std::to_string(getpid());
    run_ranks(arrangement.ranks, arrangement.mode,
              [&](RankContext& rank) {
                Communicator communicator(arrangement.name == "Local"
                                              ? make_local_backend()
                                              : join_shm({.token = token,
                                                          .rank = rank.rank(),
                                                          .size = rank.size(),
                                                          .staging_bytes = staging_bytes},
                                                         rank.deadline()));
                communicator.set_timeout(rank.deadline().remaining());
                check(communicator);
              },
              {.timeout = 280s})
        .expect_all_ok();
  }
};

#if defined(LOCKSTEP_SANITIZED)
constexpr bool kUnderSanitizer = true;
#else
constexpr bool kUnderSanitizer = false;
#endif

const ConformanceSizes kSmall{.lengths = {0, 1, 15, 4097}};

TEST_P(Conformance, Reduces) {
  on_every_rank([](Communicator& c) { check_reductions(c, kSmall); });
}

TEST_P(Conformance, MovesData) {
  on_every_rank([](Communicator& c) { check_data_movement(c, kSmall); });
}

// Under a sanitizer everything is ten times slower, and it is not the length that it looks at.
TEST_P(Conformance, HandlesLongBuffers) {
  on_every_rank(
      [](Communicator& c) {
        const std::size_t length = (kUnderSanitizer ? 1 << 16 : 1 << 20) + 3;
        check_reductions(c, {.lengths = {length}, .every_type = !kUnderSanitizer});
        check_data_movement(c,
                            {.lengths = {length / static_cast<std::size_t>(c.size())}, .every_type = false});
      },
      256 << 10);
}

TEST_P(Conformance, ExchangesPartsOfDifferentSizes) {
  on_every_rank(check_all_to_all_v);
}
TEST_P(Conformance, SendsMessages) {
  on_every_rank(check_messages);
}
TEST_P(Conformance, KeepsSeveralInFlight) {
  on_every_rank(check_several_in_flight);
}
TEST_P(Conformance, SharesMemoryWhereRanksCan) {
  on_every_rank(check_shared_memory);
}
TEST_P(Conformance, SplitsIntoGroups) {
  on_every_rank(check_groups);
}
TEST_P(Conformance, RefusesWrongArguments) {
  on_every_rank(check_arguments);
}
TEST_P(Conformance, TellsObservers) {
  on_every_rank(check_observers);
}
TEST_P(Conformance, IsLeftAloneByAForkedChild) {
  on_every_rank(check_forked_child);
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, ::testing::ValuesIn(arrangements()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lockstep::testing
