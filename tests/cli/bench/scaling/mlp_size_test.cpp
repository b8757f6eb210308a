#include "cli/bench/scaling/mlp_size.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::bench::scaling {
namespace {

// The same numbers as in tests/bench_worker/step/training_task_test.cpp, of models that were made.
TEST(MlpSize, IsThatOfTheModel) {
  EXPECT_EQ(mlp_parameters(352), 1'025'386);
  EXPECT_EQ(mlp_parameters(1024), 7'111'690);
}

TEST(MlpSize, ComesCloseToWhatIsAskedFor) {
  for (const std::int64_t asked :
       {1'000'000, 3'000'000, 10'000'000, 30'000'000, 100'000'000, 1'000'000'000}) {
    const auto got = static_cast<double>(mlp_parameters(mlp_width(asked)));
    EXPECT_NEAR(got / static_cast<double>(asked), 1, 0.05) << asked;
  }
}

TEST(MlpSize, IsTheSameOnTheWayBack) {
  for (const int width : {16, 352, 1024, 4016}) {
    EXPECT_EQ(mlp_width(mlp_parameters(width)), width);
  }
}

TEST(MlpSize, HasALeastWidth) {
  EXPECT_EQ(mlp_width(0), 16);
  EXPECT_EQ(mlp_width(1), 16);
}

}  // namespace
}  // namespace lockstep::bench::scaling
