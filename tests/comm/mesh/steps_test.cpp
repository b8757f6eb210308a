// Carries the steps of all ranks out in one process, byte by byte, and compares with what the collective means.

#include "comm/mesh/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace lockstep::mesh {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Rank {
  Bytes input;
  Bytes output;
  Bytes staging;
  bool in_place = false;  // input and output share memory from `shared_from` on
  std::size_t input_in_output = 0;

  std::uint8_t& at(const Spot& spot, std::size_t offset) {
    switch (spot.area) {
      case Area::kInput:
        return in_place ? output.at(input_in_output + spot.offset + offset) : input.at(spot.offset + offset);
      case Area::kOutput:
        return output.at(spot.offset + offset);
      case Area::kStaging:
        return staging.at(spot.offset + offset);
    }
    throw std::logic_error("no such area");
  }
};

// A transfer that every rank starts; the steps it is made of, by rank.
using FlightPlan = std::vector<const Step*>;

void land_exchange(std::vector<Rank>& ranks, const FlightPlan& flight) {
  std::vector<std::vector<Bytes>> parts(ranks.size(), std::vector<Bytes>(ranks.size()));
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    std::size_t offset = 0;
    for (std::size_t to = 0; to < ranks.size(); ++to) {
      ASSERT_EQ(flight[from]->sent[to], flight[to]->received[from]) << from << " to " << to;
      for (std::size_t i = 0; i < flight[from]->sent[to]; ++i) {
        parts[from][to].push_back(ranks[from].at(flight[from]->from, offset++));
      }
    }
  }
  for (std::size_t to = 0; to < ranks.size(); ++to) {
    std::size_t offset = 0;
    for (std::size_t from = 0; from < ranks.size(); ++from) {
      for (const std::uint8_t byte : parts[from][to]) {
        ranks[to].at(flight[to]->to, offset++) = byte;
      }
    }
  }
}

void land_spread(std::vector<Rank>& ranks, const FlightPlan& flight) {
  const auto root = static_cast<std::size_t>(flight[0]->root);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ASSERT_EQ(flight[rank]->root, flight[0]->root);
    ASSERT_EQ(flight[rank]->bytes, flight[0]->bytes);
    for (std::size_t i = 0; i < flight[rank]->bytes && rank != root; ++i) {
      ranks[rank].at(flight[rank]->to, i) = ranks[root].at(flight[root]->from, i);
    }
  }
}

void do_local(std::vector<Rank>& ranks, std::size_t rank, const Step& step) {
  for (std::size_t i = 0; i < step.bytes; ++i) {
    if (step.kind == Step::Kind::kCopy) {
      ranks[rank].at(step.to, i) = ranks[rank].at(step.from, i);
      continue;
    }
    unsigned sum = 0;
    for (std::size_t piece = 0; piece < ranks.size(); ++piece) {
      sum += piece == rank ? ranks[rank].at(step.own, i)
                           : ranks[rank].at({step.from.area, step.from.offset + piece * step.bytes}, i);
    }
    ranks[rank].at(step.to, i) = static_cast<std::uint8_t>(sum);
  }
}

// Flights land as soon as all ranks have started them, or only when nobody can go on otherwise: whatever is right
// in both cases does not depend on how fast the carrier is.
enum class Carrier { kFast, kSlow };

void carry_out(std::vector<Rank>& ranks, const std::vector<std::vector<Step>>& steps, Carrier carrier) {
  std::vector<std::size_t> next(ranks.size(), 0);
  std::vector<std::vector<const Step*>> started(ranks.size());
  std::size_t landed = 0;
  const auto run_until_blocked = [&](std::size_t rank) {
    while (next[rank] < steps[rank].size() && steps[rank][next[rank]].needs <= landed) {
      const Step& step = steps[rank][next[rank]++];
      if (step.kind == Step::Kind::kCopy || step.kind == Step::Kind::kReduce) {
        do_local(ranks, rank, step);
      } else {
        started[rank].push_back(&step);
      }
    }
  };
  const auto land_next = [&] {
    FlightPlan flight;
    for (const auto& mine : started) {
      if (mine.size() <= landed) {
        return false;
      }
      flight.push_back(mine[landed]);
    }
    for (const Step* step : flight) {
      EXPECT_EQ(step->kind, flight[0]->kind) << "all ranks use the carrier in the same order";
    }
    flight[0]->kind == Step::Kind::kExchange ? land_exchange(ranks, flight) : land_spread(ranks, flight);
    ++landed;
    return true;
  };
  for (;;) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      run_until_blocked(rank);
    }
    if (!land_next()) {
      break;
    }
    while (carrier == Carrier::kFast && land_next()) {
    }
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(next[rank], steps[rank].size()) << "rank " << rank << " waits for ever";
    EXPECT_EQ(started[rank].size(), landed) << "all ranks use the carrier equally often";
  }
}

std::uint8_t element(std::size_t rank, std::size_t index) {
  return static_cast<std::uint8_t>(rank * 31 + index * 7 + 1);
}

std::uint8_t sum_of(std::size_t ranks, std::size_t index) {
  unsigned sum = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    sum += element(rank, index);
  }
  return static_cast<std::uint8_t>(sum);
}

struct Sizes {
  std::size_t input = 0;   // on a rank that gives
  std::size_t output = 0;  // on a rank that gets
};

constexpr std::size_t kChunkBytes = 640;
constexpr std::size_t kLengths[] = {
    1, 64, 200, 600, kChunkBytes, kChunkBytes + 1, 3 * kChunkBytes, 5 * kChunkBytes + 77};

class StepsTest : public ::testing::TestWithParam<std::tuple<int, Carrier>> {
 protected:
  // Runs a collective of `bytes` per rank and returns all ranks.
  std::vector<Rank> run(OperationKind kind, std::size_t bytes, const Sizes& sizes, bool in_place = false,
                        int root = -1) {
    const auto [ranks, carrier] = GetParam();
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    std::vector<std::vector<Step>> steps;
    for (int rank = 0; rank < ranks; ++rank) {
      const Undertaking undertaking{.kind = kind,
                                    .ranks = ranks,
                                    .rank = rank,
                                    .root = root,
                                    .bytes = bytes,
                                    .chunk_bytes = kChunkBytes,
                                    .in_place = in_place};
      Rank& mine = all[static_cast<std::size_t>(rank)];
      mine.output.assign(sizes.output, 0);
      mine.staging.assign(staging_bytes(undertaking), 0);
      mine.in_place = in_place;
      mine.input_in_output = kind == OperationKind::kAllGather ? static_cast<std::size_t>(rank) * bytes : 0;
      mine.input.assign(in_place ? 0 : sizes.input, 0);
      for (std::size_t i = 0; i < sizes.input; ++i) {
        mine.at({Area::kInput, 0}, i) = element(static_cast<std::size_t>(rank), i);
      }
      steps.push_back(steps_of(undertaking));
    }
    carry_out(all, steps, carrier);
    return all;
  }

  std::size_t ranks() const { return static_cast<std::size_t>(std::get<0>(GetParam())); }
};

TEST_P(StepsTest, AllReduceGivesEveryRankTheSum) {
  for (const std::size_t bytes : kLengths) {
    for (const bool in_place : {false, true}) {
      for (const auto& rank : run(OperationKind::kAllReduce, bytes, {bytes, bytes}, in_place)) {
        for (std::size_t i = 0; i < bytes; ++i) {
          ASSERT_EQ(rank.output[i], sum_of(ranks(), i)) << bytes << " bytes, at " << i;
        }
      }
    }
  }
}

TEST_P(StepsTest, ReduceGivesTheRootTheSum) {
  for (const std::size_t bytes : kLengths) {
    for (int root = 0; root < std::get<0>(GetParam()); ++root) {
      const auto all = run(OperationKind::kReduce, bytes, {bytes, bytes}, false, root);
      for (std::size_t i = 0; i < bytes; ++i) {
        ASSERT_EQ(all[static_cast<std::size_t>(root)].output[i], sum_of(ranks(), i))
            << bytes << " bytes, at " << i;
      }
    }
  }
}

TEST_P(StepsTest, ReduceScatterGivesEveryRankItsPart) {
  const std::size_t part = 100;
  const auto all = run(OperationKind::kReduceScatter, part * ranks(), {part * ranks(), part});
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    for (std::size_t i = 0; i < part; ++i) {
      ASSERT_EQ(all[rank].output[i], sum_of(ranks(), rank * part + i));
    }
  }
}

TEST_P(StepsTest, BroadcastGivesEveryoneElseTheRootsData) {
  const int root = std::get<0>(GetParam()) - 1;
  const auto all = run(OperationKind::kBroadcast, 100, {100, 100}, false, root);
  for (std::size_t rank = 0; rank + 1 < ranks(); ++rank) {
    for (std::size_t i = 0; i < 100; ++i) {
      ASSERT_EQ(all[rank].output[i], element(ranks() - 1, i));
    }
  }
}

TEST_P(StepsTest, GatheringPutsAllPartsInRankOrder) {
  const std::size_t part = 100;
  for (const bool to_all : {true, false}) {
    for (const bool in_place : {false, true}) {
      if (in_place && !to_all) {
        continue;
      }
      const auto all = run(to_all ? OperationKind::kAllGather : OperationKind::kGather, part,
                           {part, part * ranks()}, in_place, to_all ? -1 : 0);
      for (std::size_t rank = 0; rank < (to_all ? ranks() : 1); ++rank) {
        for (std::size_t i = 0; i < part * ranks(); ++i) {
          ASSERT_EQ(all[rank].output[i], element(i / part, i % part));
        }
      }
    }
  }
}

TEST_P(StepsTest, ScatterGivesEveryRankItsPart) {
  const std::size_t part = 100;
  const auto all = run(OperationKind::kScatter, part * ranks(), {part * ranks(), part}, false, 0);
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    for (std::size_t i = 0; i < part; ++i) {
      ASSERT_EQ(all[rank].output[i], element(0, rank * part + i));
    }
  }
}

TEST_P(StepsTest, AllToAllTransposes) {
  const std::size_t part = 100;
  for (const bool in_place : {false, true}) {
    const auto all =
        run(OperationKind::kAllToAll, part * ranks(), {part * ranks(), part * ranks()}, in_place);
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      for (std::size_t i = 0; i < part * ranks(); ++i) {
        ASSERT_EQ(all[rank].output[i], element(i / part, rank * part + i % part));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, StepsTest,
                         ::testing::Combine(::testing::Values(2, 3, 5, 8),
                                            ::testing::Values(Carrier::kFast, Carrier::kSlow)),
                         [](const auto& test) {
                           return std::to_string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) == Carrier::kFast ? "Fast" : "Slow");
                         });

TEST(Steps, AllToAllVFollowsTheMatrix) {
  const std::vector<std::size_t> matrix = {1, 20, 0, 7};  // rank 0 to 0 and 1, rank 1 to 0 and 1
  const auto steps =
      steps_of({.kind = OperationKind::kAllToAllV, .ranks = 2, .rank = 1, .bytes = 7, .matrix = matrix});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].sent, (std::vector<std::size_t>{0, 7}));
  EXPECT_EQ(steps[0].received, (std::vector<std::size_t>{20, 7}));
}

TEST(Steps, ABarrierHasNone) {
  EXPECT_TRUE(steps_of({.kind = OperationKind::kBarrier, .ranks = 4, .rank = 1}).empty());
  EXPECT_EQ(staging_bytes({.kind = OperationKind::kBarrier, .ranks = 4, .rank = 1}), 0U);
}

}  // namespace
}  // namespace lockstep::mesh
