// The bits of a reduction over gloo are those of shared memory, whatever the length and the number of ranks.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "comm/gloo/gloo_rank.h"
#include "comm/shm/shm_backend.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;

// All finite, of very different sizes, so that every other order of adding shows.
std::vector<float> values_of(int rank, std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(rank));
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<float> values(count);
  for (auto& value : values) {
    value = normal(random) * static_cast<float>(1U << (random() % 24));
  }
  return values;
}

template <class T>
void append_bytes(std::string& to, const std::vector<T>& values) {
  to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

constexpr std::size_t kLongest = (1UL << 20) + 5;

// Everything that reduces, over the beginnings of `mine`, one after the other; returns the bits of all results on this
// rank. `mine` has kLongest elements for each rank: to draw them takes longer than to reduce them.
std::string reduce_everything(Communicator& communicator, const std::vector<float>& mine) {
  const auto beginning = [&](std::size_t count) {
    return std::vector<float>(mine.data(), mine.data() + count);
  };
  std::string bits;
  for (const std::size_t count : {7UL, 3001UL, 70'003UL, kLongest}) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProduct}) {
      std::vector<float> values = beginning(count);
      communicator.all_reduce(values, op);
      append_bytes(bits, values);
      values = beginning(count);
      communicator.reduce(values, op, communicator.size() - 1);
      append_bytes(bits, values);
      std::vector<float> parts = beginning(count * static_cast<std::size_t>(communicator.size()));
      std::vector<float> part(count);
      communicator.reduce_scatter(parts, part, op);
      append_bytes(bits, part);
    }
    std::vector<BF16> halves(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &mine[i], sizeof word);
      halves[i].bits = static_cast<std::uint16_t>(word >> 16);
    }
    communicator.all_reduce(halves, ReduceOp::kAvg);
    append_bytes(bits, halves);
  }
  return bits;
}

TEST(BitsOverGloo, AreThoseOfSharedMemory) {
  for (const int ranks : {2, 3, 5}) {
    const int port = free_port();
    const std::string token = "gloo bits " + std::to_string(getpid()) + "." + std::to_string(ranks);
    run_ranks(ranks, RankMode::kProcesses,
              [&](RankContext& rank) {
                Communicator over_shm(
                    join_shm({.token = token, .rank = rank.rank(), .size = ranks}, rank.deadline()));
                Communicator over_gloo = join_gloo(rank, port);
                const auto mine = values_of(rank.rank(), kLongest * static_cast<std::size_t>(ranks));
                const std::string expected = reduce_everything(over_shm, mine);
                EXPECT_TRUE(reduce_everything(over_gloo, mine) == expected)
                    << "the bits differ on rank " << rank.rank();
                EXPECT_FALSE(expected.empty());
              },
              {.timeout = 120s})
        .expect_all_ok();
  }
}

}  // namespace
}  // namespace lockstep::testing
