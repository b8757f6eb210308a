#include "lockstep/sample_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "data/philox.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

// Published with the algorithm's reference implementation.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(philox({0, 0, 0, 0}, 0), ElementsAre(0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8));
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  EXPECT_THAT(philox({kOnes, kOnes, kOnes, kOnes}, ~std::uint64_t{0}),
              ElementsAre(0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD));
  EXPECT_THAT(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, 0x299F31D0A4093822),
              ElementsAre(0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1));
}

TEST(SampleRandom, GivesTheSameNumbersForGood) {
  SampleRandom random({.seed = 1, .epoch = 2, .index = 3});
  EXPECT_EQ(random.bits(), 0x676FF9A06EB8F22CU);
  EXPECT_EQ(random.bits(), 0x13EDFE4940E52178U);
  EXPECT_EQ(random.bits(), 0xB8D99BE2EFE34035U);
  EXPECT_EQ(random.below(1000), 818);
  EXPECT_EQ(random.between(-500, 500), -25);
  EXPECT_EQ(random.uniform(), 0x1.9dd9fd24e6354p-3);
  EXPECT_EQ(random.normal(), 0x1.9d3c3618bfa80p-1);
  EXPECT_EQ(random.normal(), 0x1.24c517248366cp-3);
}

TEST(SampleRandom, IsAnotherStreamForEachSeedEpochAndIndex) {
  std::set<std::uint64_t> first_words;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
      for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
        first_words.insert(SampleRandom({.seed = seed, .epoch = epoch, .index = index}).bits());
      }
    }
  }
  EXPECT_EQ(first_words.size(), 300);
}

TEST(SampleRandom, GivesEveryNumberBelowABoundAlike) {
  for (const std::uint64_t bound : {1, 2, 3, 7, 10, 64, 100}) {
    SampleRandom random({.index = bound});
    std::vector<double> counts(bound);
    constexpr double kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t number = random.below(bound);
      ASSERT_LT(number, bound);
      ++counts[number];
    }
    double chi_square = 0;
    for (const double count : counts) {
      const double expected = kDraws / static_cast<double>(bound);
      chi_square += (count - expected) * (count - expected) / expected;
    }
    const auto freedom = static_cast<double>(bound - 1);
    EXPECT_NEAR(chi_square, freedom, 4 * std::sqrt(2 * freedom) + 1e-9) << bound;
  }
}

TEST(SampleRandom, ReachesTheEndsOfItsRange) {
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
  SampleRandom random({});
  std::set<std::int64_t> seen;
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    seen.insert(random.between(-1, 1));
    const std::int64_t any = random.between(kLowest, kHighest);
    negative |= any < 0;
    positive |= any > 0;
    EXPECT_EQ(random.between(kLowest, kLowest), kLowest);
    EXPECT_GE(random.between(kHighest - 1, kHighest), kHighest - 1);
  }
  EXPECT_THAT(seen, ElementsAre(-1, 0, 1));
  EXPECT_TRUE(negative && positive);
}

TEST(SampleRandom, IsUniformBetweenZeroAndOne) {
  SampleRandom random({.seed = 8});
  constexpr int kDraws = 100000;
  double sum = 0;
  double sum_of_squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double number = random.uniform();
    ASSERT_GE(number, 0);
    ASSERT_LT(number, 1);
    sum += number;
    sum_of_squares += number * number;
  }
  EXPECT_NEAR(sum / kDraws, 1.0 / 2, 0.004);
  EXPECT_NEAR(sum_of_squares / kDraws, 1.0 / 3, 0.004);
}

// The largest distance between the distribution of the draws and that of the bell curve, as Kolmogorov and Smirnov
// compare them: beyond 1.95 / sqrt(n) only once in a thousand.
TEST(SampleRandom, IsNormal) {
  constexpr std::size_t kDraws = 100000;
  SampleRandom random({.seed = 9});
  std::vector<double> numbers(kDraws);
  std::generate(numbers.begin(), numbers.end(), [&random] { return random.normal(); });
  std::sort(numbers.begin(), numbers.end());
  double distance = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double below = std::erfc(-numbers[i] / std::sqrt(2.0)) / 2;
    distance = std::max({distance, std::abs(below - static_cast<double>(i) / kDraws),
                         std::abs(static_cast<double>(i + 1) / kDraws - below)});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(kDraws));
  EXPECT_GT(numbers.back(), 3.5) << "the tail is missing";
  EXPECT_LT(numbers.front(), -3.5);
}

TEST(SampleRandom, RefusesAnEmptyRange) {
  SampleRandom random({});
  try {
    random.below(0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "there is no number below 0");
  }
  try {
    random.between(3, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "there is no number from 3 to 2");
  }
}

}  // namespace
}  // namespace lockstep
