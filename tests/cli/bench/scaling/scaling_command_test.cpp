#include "cli/bench/scaling/scaling_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/temp_dir.h"
#include "cli/bench/file_content.h"
#include "cli/program_run.h"

namespace lockstep::bench::scaling {
namespace {

using cli::run_lockstep;
using testing::HasSubstr;
using testing::StartsWith;

#if LOCKSTEP_HAS_TORCH

TEST(BenchScaling, MeasuresAndWritesWhatItFound) {
  const TempDir folder;
  const auto json_path = folder.path() / "result.json";
  const auto plot_path = folder.path() / "result.svg";
  const auto done = run_lockstep({"bench", "scaling", "--ranks", "2", "--parameters", "2,1", "--batch", "1",
                                  "--rounds", "1", "--time-per-round", "1ms", "--steps", "8", "--json",
                                  json_path.string(), "--plot", plot_path.string()});
  EXPECT_EQ(done.standard_error, "");
  ASSERT_EQ(done.status.exit_code, 0);
  EXPECT_THAT(done.standard_output, StartsWith("training step of an mlp, batch 1 per rank, with sharded; "));
  EXPECT_THAT(done.standard_output,
              HasSubstr("\n  time outside compute: no verdict, "));  // two sizes are too few
  EXPECT_THAT(done.standard_output, HasSubstr("\n8 steps of 2 ranks, 1.0 M parameters, in 8 windows\n"));

  const auto json = nlohmann::json::parse(content_of(json_path));
  ASSERT_EQ(json.at("results").size(), 2);
  EXPECT_LT(json.at("results").at(0).at("parameters"), json.at("results").at(1).at("parameters"));
  for (const auto& result : json.at("results")) {
    EXPECT_EQ(result.at("ranks"), 2);
    EXPECT_GT(result.at("compute_ms"), 0);
    EXPECT_GT(result.at("no_comm_ms"), 0);
    EXPECT_GT(result.at("step_ms"), 0);
    EXPECT_GT(result.at("total_memory_mb"), 10);
  }
  EXPECT_EQ(json.at("long_run").at("windows").size(), 8);
  EXPECT_THAT(content_of(plot_path), HasSubstr("data-series=\"step time\""));
}

#else

TEST(BenchScaling, NeedsLibtorch) {
  const auto done = run_lockstep({"bench", "scaling"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error,
              HasSubstr("this lockstep was built without libtorch; build it with LOCKSTEP_WITH_TORCH=ON"));
}

#endif

// 64 ranks with a thousand million parameters each would need more than two terabytes.
TEST(BenchScaling, DoesNotTryWhatDoesNotFit) {
  const auto done = run_lockstep({"bench", "scaling", "--ranks", "64", "--parameters", "1000"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error,
              HasSubstr("there is nothing to measure; 64 ranks, 1000 M parameters: needs about 2305"));
}

TEST(BenchScaling, ListsAllProblemsOfItsOptions) {
  const auto done = run_lockstep({"bench", "scaling", "--rounds", "0", "--method", "fsdp", "--steps", "-1"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, StartsWith("lockstep bench scaling: 3 problems, nothing was run:\n"));
}

}  // namespace
}  // namespace lockstep::bench::scaling
