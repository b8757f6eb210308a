// The example as a user runs it: alone, and as torchrun starts it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CompletedSubprocess run_rank(int rank, int size) {
  SubprocessOptions options;
  options.environment = {{"RANK", std::to_string(rank)},
                         {"WORLD_SIZE", std::to_string(size)},
                         {"LOCAL_RANK", std::to_string(rank)},
                         {"LOCAL_WORLD_SIZE", std::to_string(size)},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", "29500"},
                         {"TORCHELASTIC_RUN_ID", "examples_test." + std::to_string(getpid())}};
  return run_subprocess({LINEAR_REGRESSION}, options, Deadline::after(50s));
}

// Runs the example as `size` ranks, which must all succeed and leave the talking to rank 0; returns its output.
std::string run_example(int size) {
  std::vector<std::future<CompletedSubprocess>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(std::async(std::launch::async, run_rank, rank, size));
  }
  std::string output;
  for (int rank = 0; rank < size; ++rank) {
    const CompletedSubprocess ended = ranks[static_cast<std::size_t>(rank)].get();
    EXPECT_TRUE(ended.status.ok()) << "rank " << rank << ": " << ended.standard_error;
    if (rank == 0) {
      output = ended.standard_output;
    } else {
      EXPECT_EQ(ended.standard_output, "");
    }
  }
  return output;
}

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

TEST(LinearRegression, FindsTheTruthAlone) {
  const std::string output = run_example(1);
  EXPECT_THAT(output, StartsWith("step   0: loss "));
  EXPECT_THAT(output, HasSubstr("\nfound the truth: off by at most "));
  const std::vector<double> truth = {2.0, -3.0, 0.5, 1.25, -0.75};
  const std::vector<double> found = weights_in(output);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(found[i], truth[i], 1e-6);
  }
}

TEST(LinearRegression, FindsTheSameWithTwoRanks) {
  const std::string alone = run_example(1);
  const std::string together = run_example(2);
  EXPECT_EQ(together.substr(0, together.find('\n')), alone.substr(0, alone.find('\n')))
      << "the loss over all data before the first step";
  const std::vector<double> expected = weights_in(alone);
  const std::vector<double> found = weights_in(together);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-6);
  }
}

}  // namespace
}  // namespace lockstep
