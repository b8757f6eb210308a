#include "lockstep/plateau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace lockstep {
namespace {

double observe_all(Plateau& plateau, std::initializer_list<double> metrics) {
  for (const double metric : metrics) {
    plateau.observe(metric);
  }
  return plateau.scale();
}

TEST(Plateau, KeepsTheRateWhileTheMetricImproves) {
  Plateau plateau({.factor = 0.5, .patience = 0});
  EXPECT_EQ(observe_all(plateau, {5, 4, 3, 2}), 1);
}

TEST(Plateau, LowersTheRateWhenPatienceIsOver) {
  Plateau plateau({.factor = 0.5, .patience = 2});
  EXPECT_EQ(observe_all(plateau, {5, 5, 5}), 1);
  EXPECT_EQ(plateau.observe(5), 0.5);
  EXPECT_EQ(observe_all(plateau, {5, 5}), 0.5);
  EXPECT_EQ(plateau.observe(5), 0.25);
}

TEST(Plateau, TakesNoNoiseForAnImprovement) {
  Plateau plateau({.factor = 0.5, .patience = 0, .threshold = 0.1});
  EXPECT_EQ(observe_all(plateau, {10, 9.5}), 0.5);
  EXPECT_EQ(plateau.observe(8.9), 0.5) << "more than a tenth better than the best";
}

TEST(Plateau, KnowsMetricsThatAreToGrow) {
  Plateau plateau({.factor = 0.5, .patience = 0, .higher_is_better = true});
  EXPECT_EQ(observe_all(plateau, {0.1, 0.2, 0.3}), 1);
  EXPECT_EQ(plateau.observe(0.2), 0.5);
}

TEST(Plateau, WaitsAfterACut) {
  Plateau plateau({.factor = 0.5, .patience = 0, .cooldown = 2});
  EXPECT_EQ(observe_all(plateau, {5, 5}), 0.5);
  EXPECT_EQ(observe_all(plateau, {5, 5}), 0.5);
  EXPECT_EQ(plateau.observe(5), 0.25);
}

TEST(Plateau, NeverGoesBelowItsLeastScale) {
  Plateau plateau({.factor = 0.1, .patience = 0, .least_scale = 0.05});
  EXPECT_EQ(observe_all(plateau, {1, 1, 1, 1, 1}), 0.05);
}

TEST(Plateau, TakesWhatIsNotANumberForNoImprovement) {
  Plateau plateau({.factor = 0.5, .patience = 0});
  EXPECT_EQ(plateau.observe(std::numeric_limits<double>::quiet_NaN()), 0.5);
  EXPECT_EQ(plateau.observe(3), 0.5);
}

TEST(Plateau, GoesOnFromItsState) {
  const PlateauOptions options{.factor = 0.5, .patience = 1, .cooldown = 1};
  Plateau whole(options);
  for (int split = 0; split < 12; ++split) {
    whole.observe(1.0 / (1 + split / 4));
    Plateau resumed(options, whole.state());
    Plateau copy = whole;
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(resumed.observe(0.2), copy.observe(0.2));
    }
    EXPECT_EQ(resumed.state(), copy.state());
  }
}

}  // namespace
}  // namespace lockstep
