// The same bits on every rank, in every run and for every way to cut the work; and no drift in a long run.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "comm/shm/shm_backend.h"
#include "lockstep/communicator.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCount = 70'001;

std::vector<float> values_of(int rank) {
  std::mt19937 random(static_cast<unsigned>(rank));
  std::normal_distribution<float> normal(0.0F, 1e6F);
  std::vector<float> values(kCount);
  for (auto& value : values) {
    value = normal(random);
  }
  return values;
}

std::string bytes_of(const float* values) {
  return {reinterpret_cast<const char*>(values), kCount * sizeof(float)};
}

// One all_reduce with random pauses before every poll; returns each rank's bits.
RankResults reduce_once(int ranks, std::size_t staging_bytes, bool symmetric, unsigned seed,
                        std::size_t bucket) {
  static int count = 0;
  const std::string token = "bits " + std::to_string(getpid()) + "." + std::to_string(count++);
  return run_ranks(ranks, RankMode::kProcesses, [&](RankContext& rank) -> std::string {
    Communicator communicator(
        join_shm({.token = token, .rank = rank.rank(), .size = ranks, .staging_bytes = staging_bytes},
                 rank.deadline()));
    std::vector<float> values = values_of(rank.rank());
    SymmetricMemory memory = communicator.allocate(kCount * sizeof(float));
    float* data = values.data();
    if (symmetric) {
      std::memcpy(memory.data(), values.data(), memory.bytes());
      data = memory.as<float>().data();
    }
    std::mt19937 random(seed * 100 + static_cast<unsigned>(rank.rank()));
    for (std::size_t first = 0; first < kCount; first += bucket) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      Work work = communicator.start_all_reduce(std::span(data + first, std::min(bucket, kCount - first)),
                                                ReduceOp::kAvg);
      while (random() % 4 != 0 && !work.poll()) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
      }
      work.wait();
    }
    return bytes_of(data);
  });
}

// Sanitizers make every run ten times as long, and look at other things than bits.
#if defined(LOCKSTEP_SANITIZED)
constexpr unsigned kRuns = 15;
constexpr std::int64_t kOperations = 20'000;
#else
constexpr unsigned kRuns = 100;
constexpr std::int64_t kOperations = 100'000;
#endif

TEST(Bits, AreTheSameOnEveryRankAndInEveryRun) {
  for (const int ranks : {2, 3, 5}) {
    std::set<std::string> seen;
    for (unsigned run = 0; run < kRuns; ++run) {
      const std::size_t staging = (run % 4 + 1) * 4096;
      const std::size_t bucket = run % 3 == 0 ? kCount : 1000 * (run % 7 + 1) + 1;
      const auto results = reduce_once(ranks, staging, run % 2 == 0, run, bucket);
      results.expect_all_ok();
      for (const auto& result : results) {
        seen.insert(result.value);
      }
      ASSERT_EQ(seen.size(), 1U) << ranks << " ranks, run " << run;
    }
  }
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

// Sanitizers keep books about memory that grow a little; a leak of 100 bytes per operation is more than either.
#if defined(LOCKSTEP_SANITIZED)
constexpr std::size_t kGrowth = 8 << 20;
#else
constexpr std::size_t kGrowth = 1 << 20;
#endif

TEST(ALongRun, NeitherDriftsNorLeaks) {
  const std::string token = "long " + std::to_string(getpid());
  run_ranks(2, RankMode::kProcesses,
            [&](RankContext& rank) {
              Communicator communicator(
                  join_shm({.token = token, .rank = rank.rank(), .size = 2}, rank.deadline()));
              std::vector<std::int64_t> sum = {0};
              std::vector<float> bucket(2000);
              std::size_t resident_before = 0;
              const std::size_t descriptors = open_descriptors();
              for (std::int64_t i = 0; i < kOperations; ++i) {
                sum[0] = i + rank.rank();
                communicator.all_reduce(sum, ReduceOp::kSum);
                ASSERT_EQ(sum[0], 2 * i + 1);
                if (i % 10 == 0) {
                  communicator.all_reduce(bucket, ReduceOp::kSum);
                }
                if (i == 1000) {
                  resident_before = resident_bytes();
                }
              }
              EXPECT_LE(resident_bytes(), resident_before + kGrowth);
              EXPECT_EQ(open_descriptors(), descriptors);
            },
            {.timeout = 120s})
      .expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
