#include "cli/bench/line_fit.h"

#include <gtest/gtest.h>

#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

TEST(LineFit, FindsALineThatAllPointsLieOn) {
  const LineFit fit = fit_line(std::vector<double>{1, 2, 4}, std::vector<double>{5, 7, 11});
  EXPECT_DOUBLE_EQ(fit.slope, 2);
  EXPECT_DOUBLE_EQ(fit.at_zero, 3);
  EXPECT_NEAR(fit.slope_error, 0, 1e-12);
}

// By hand: the points lie 1/3, -2/3 and 1/3 off the line; 2/3 over one degree of freedom, over an x spread of 2.
TEST(LineFit, KnowsHowSureItsSlopeIs) {
  const LineFit fit = fit_line(std::vector<double>{0, 1, 2}, std::vector<double>{0, 0, 2});
  EXPECT_DOUBLE_EQ(fit.slope, 1);
  EXPECT_NEAR(fit.at_zero, -1.0 / 3, 1e-12);
  EXPECT_NEAR(fit.slope_error * fit.slope_error, (2.0 / 3) / 2, 1e-12);
}

TEST(LineFit, HasNoErrorWithTwoPoints) {
  EXPECT_EQ(fit_line(std::vector<double>{1, 2}, std::vector<double>{1, 5}).slope_error, 0);
}

TEST(LineFit, RefusesWhatIsNoLine) {
  const std::vector<double> one = {1};
  const std::vector<double> same = {2, 2};
  const std::vector<double> two = {1, 2};
  EXPECT_THROW(fit_line({}, {}), Error);
  EXPECT_THROW(fit_line(one, one), Error);
  EXPECT_THROW(fit_line(same, two), Error);
  EXPECT_THROW(fit_line(two, one), Error);
}

TEST(PowerFit, FindsTheExponent) {
  EXPECT_NEAR(fit_power(std::vector<double>{1, 10, 100}, std::vector<double>{3, 30, 300}).slope, 1, 1e-12);
  EXPECT_NEAR(fit_power(std::vector<double>{1, 2, 4}, std::vector<double>{5, 20, 80}).slope, 2, 1e-12);
}

TEST(PowerFit, RefusesValuesThatHaveNoLogarithm) {
  const std::vector<double> x = {1, 2};
  for (const double bad : {0.0, -1.0}) {
    try {
      fit_power(x, std::vector<double>{1, bad});
      FAIL() << "accepted: " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(error.message(), "a power needs positive values");
    }
  }
}

}  // namespace
}  // namespace lockstep::bench
