#include "data/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {
namespace {

std::vector<std::uint64_t> permuted(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch) {
  const Permutation permutation(size, seed, epoch);
  std::vector<std::uint64_t> order(size);
  for (std::uint64_t position = 0; position < size; ++position) {
    order[position] = permutation.at(position);
  }
  return order;
}

double chi_square(const std::vector<std::uint64_t>& counts) {
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const double expected = static_cast<double>(total) / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// Four standard deviations around what chance gives; seeds are fixed, so a test passes always or never.
void expect_like_chance(const std::vector<std::uint64_t>& counts) {
  const auto freedom = static_cast<double>(counts.size() - 1);
  EXPECT_NEAR(chi_square(counts), freedom, 4 * std::sqrt(2 * freedom));
}

TEST(Permutation, HoldsEveryIndexOnce) {
  for (const std::uint64_t size : {0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 97, 4096, 1'000'000}) {
    std::vector<std::uint64_t> order = permuted(size, 3, 5);
    std::sort(order.begin(), order.end());
    std::vector<std::uint64_t> all(size);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all) << size;
  }
}

TEST(Permutation, IsTheOneOfTheGoldenFile) {
  std::ifstream file(LOCKSTEP_GOLDEN_FOLDER "/permutation.txt");
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream words(line);
    std::uint64_t size = 0;
    std::uint64_t seed = 0;
    std::uint64_t epoch = 0;
    char colon = '\0';
    ASSERT_TRUE(words >> size >> seed >> epoch >> colon) << line;
    const Permutation permutation(size, seed, epoch);
    std::uint64_t position = 0;
    for (std::uint64_t index = 0; words >> index; ++position) {
      EXPECT_EQ(permutation.at(position), index) << line << "\nat position " << position;
    }
    EXPECT_EQ(position, std::min<std::uint64_t>(size, 12)) << line;
    ++lines;
  }
  EXPECT_EQ(lines, 17);
}

TEST(Permutation, IsAnotherOneForEachSeedAndEpoch) {
  std::map<std::vector<std::uint64_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t epoch = 0; epoch < 30; ++epoch) {
      ++seen[permuted(64, seed, epoch)];
    }
  }
  EXPECT_EQ(seen.size(), 900);
}

// All orders of so few samples can be counted: none may be more likely than another.
TEST(Permutation, GivesAllOrdersOfAFewSamplesAlike) {
  for (const std::uint64_t size : {2, 3, 4, 5, 6}) {
    std::vector<std::uint64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
    do {
      counts[order] = 0;
    } while (std::next_permutation(order.begin(), order.end()));
    for (std::uint64_t epoch = 0; epoch < 50 * counts.size(); ++epoch) {
      ++counts.at(permuted(size, 1, epoch));
    }
    std::vector<std::uint64_t> flat;
    for (const auto& [unused, count] : counts) {
      flat.push_back(count);
    }
    SCOPED_TRACE(size);
    expect_like_chance(flat);
  }
}

TEST(Permutation, PutsEachSampleEverywhereAlike) {
  constexpr std::uint64_t kSize = 97;
  std::vector<std::uint64_t> counts(kSize * kSize);
  for (std::uint64_t epoch = 0; epoch < 4000; ++epoch) {
    const auto order = permuted(kSize, 2, epoch);
    for (std::uint64_t position = 0; position < kSize; ++position) {
      ++counts[position * kSize + order[position]];
    }
  }
  expect_like_chance(counts);
}

// Neighbours in the data set, often of one class, must not stay neighbours.
TEST(Permutation, LeavesNoTraceOfTheOldOrderInSteps) {
  constexpr std::uint64_t kSize = 1'000'000;
  constexpr std::uint64_t kBins = 1000;
  const auto order = permuted(kSize, 4, 0);
  std::vector<std::uint64_t> counts(kBins);
  for (std::uint64_t position = 1; position < kSize; ++position) {
    const std::uint64_t step = (order[position] + kSize - order[position - 1]) % kSize;
    ++counts[step * kBins / kSize];
  }
  expect_like_chance(counts);
}

TEST(Permutation, RefusesAPositionBeyondItsEnd) {
  EXPECT_THROW(Permutation(3, 0, 0).at(3), Error);
  EXPECT_THROW(Permutation(0, 0, 0).at(0), Error);
}

}  // namespace
}  // namespace lockstep
