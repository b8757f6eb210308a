// The example as a user runs it: alone, and as torchrun starts it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "examples/example_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The numbers of the line "weights 1.0 2.0 3.0 4.0, bias 5.0".
std::vector<double> weights_in(const std::string& output) {
  std::vector<double> numbers(5);
  const std::size_t line = output.find("weights ");
  if (line == std::string::npos ||
      std::sscanf(output.c_str() + line, "weights %lf %lf %lf %lf, bias %lf", &numbers[0], &numbers[1],
                  &numbers[2], &numbers[3], &numbers[4]) != 5) {
    ADD_FAILURE() << "no weights in: " << output;
  }
  return numbers;
}

TEST(NoTorch, FindsTheTruthAlone) {
  const std::string output = run_example({NO_TORCH}, 1);
  EXPECT_THAT(output, StartsWith("step   0: loss "));
  EXPECT_THAT(output, HasSubstr("\nfound the truth: off by at most "));
  const std::vector<double> truth = {2.0, -3.0, 0.5, 1.25, -0.75};
  const std::vector<double> found = weights_in(output);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(found[i], truth[i], 1e-6);
  }
}

TEST(NoTorch, FindsTheSameWithTwoRanks) {
  const std::string alone = run_example({NO_TORCH}, 1);
  const std::string together = run_example({NO_TORCH}, 2);
  EXPECT_EQ(together.substr(0, together.find('\n')), alone.substr(0, alone.find('\n')))
      << "the loss over all data before the first step";
  const std::vector<double> expected = weights_in(alone);
  const std::vector<double> found = weights_in(together);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-6);
  }
}

}  // namespace
}  // namespace lockstep::testing
