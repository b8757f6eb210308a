#include "cli/bench/step/step_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/temp_dir.h"
#include "cli/bench/file_content.h"
#include "cli/bench/step/python_search.h"
#include "cli/program_run.h"

namespace lockstep::bench::step {
namespace {

using cli::run_lockstep;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A model that takes no time, so that most of it is the start of the workers.
std::vector<std::string> quick_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"bench",    "step", "--models",         "mlp-tiny:2",
                                    "--rounds", "2",    "--time-per-round", "1ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

#if LOCKSTEP_HAS_TORCH

// Every variant of ours, which also holds all of them to the same losses.
TEST(BenchStep, MeasuresAndWritesWhatItFound) {
  const TempDir folder;
  const auto json_path = folder.path() / "result.json";
  const auto plot_path = folder.path() / "result.svg";
  const auto done = run_lockstep(
      quick_with({"--variants", "compute,no-comm,ddp,sharded,sharded-shared,ddp-1rank,plain-1rank", "--json",
                  json_path.string(), "--plot", plot_path.string()}));
  EXPECT_EQ(done.standard_error, "");
  ASSERT_EQ(done.status.exit_code, 0);
  EXPECT_THAT(done.standard_output, StartsWith("training step: "));
  EXPECT_THAT(done.standard_output, HasSubstr("\nmlp-tiny:2 "));
  EXPECT_THAT(done.standard_output, HasSubstr("  at most 1.12: "));

  const auto json = nlohmann::json::parse(content_of(json_path));
  EXPECT_EQ(json.at("format"), 1);
  EXPECT_EQ(json.at("rounds"), 2);
  ASSERT_EQ(json.at("results").size(), 7);
  for (const auto& result : json.at("results")) {
    EXPECT_EQ(result.at("model"), "mlp-tiny");
    EXPECT_EQ(result.at("batch"), 2);
    EXPECT_EQ(result.at("ranks"), result.at("variant").get<std::string>().ends_with("-1rank") ? 1 : 2);
    EXPECT_GT(result.at("median_ms"), 0);
    EXPECT_LE(result.at("p10_ms"), result.at("median_ms"));
    EXPECT_GE(result.at("p90_ms"), result.at("median_ms"));
    EXPECT_GT(result.at("peak_rss_mb"), 10);
    EXPECT_GT(result.at("total_memory_mb"), 10);
    EXPECT_GE(result.at("samples"), 4);  // two rounds of at least two steps
  }
  EXPECT_GT(json.at("ratios").at(0).at("sharded_overhead"), 0);
  EXPECT_TRUE(json.at("ratios").at(0).at("speed_up").is_null());
  EXPECT_THAT(content_of(plot_path), HasSubstr("data-series=\"mlp-tiny:2 ddp\""));
}

// On two ranks and on the whole batch, each with its flags; the losses of all three have to agree.
TEST(BenchStep, MeasuresPytorchWhereItIsThere) {
  if (find_python().empty()) {
    GTEST_SKIP() << "there is no Python with PyTorch";
  }
  const auto done = run_lockstep(quick_with({"--variants", "ddp,pytorch-ddp-view,pytorch-threads-fused"}));
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.status.exit_code, 0);
  for (const char* variant : {"ddp", "pytorch-ddp-view", "pytorch-threads-fused"}) {
    EXPECT_THAT(done.standard_output, HasSubstr("\n" + std::string(variant) + " "));
  }
}

TEST(BenchStep, MeasuresTheVariantsItIsAskedFor) {
  const auto done = run_lockstep(quick_with({"--variants", "plain-1rank,ddp-1rank,plain-1rank"}));
  EXPECT_EQ(done.status.exit_code, 0) << done.standard_error;
  EXPECT_THAT(done.standard_output, HasSubstr("\nplain-1rank "));
  EXPECT_THAT(done.standard_output, HasSubstr("\nddp-1rank "));
  EXPECT_THAT(done.standard_output, Not(HasSubstr("\nno-comm ")));
  EXPECT_THAT(done.standard_output, HasSubstr("  at least 1.25: not measured\n"));
}

TEST(BenchStep, SaysFirstThatItCannotWrite) {
  const auto done = run_lockstep(quick_with({"--json", "/does/not/exist.json"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_THAT(done.standard_error, HasSubstr("cannot write /does/not/exist.json: No such file or directory"));
}

TEST(BenchStep, RefusesAPythonThatIsNone) {
  const auto done = run_lockstep(quick_with({"--python", "/dev/null"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, HasSubstr("--python: /dev/null is not a program that can be started"));
}

TEST(BenchStep, NamesTheRankOfAPythonWithoutPytorch) {
  const auto done = run_lockstep(quick_with({"--variants", "pytorch-ddp", "--python", "/bin/false"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(
      done.standard_error,
      testing::ContainsRegex("rank [01] of 2 of pytorch-ddp .mlp-tiny:2. exited with code 1 before it "
                             "connected"));
}

#else

TEST(BenchStep, NeedsLibtorch) {
  const auto done = run_lockstep(quick_with({}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error,
              HasSubstr("this lockstep was built without libtorch; build it with LOCKSTEP_WITH_TORCH=ON"));
}

#endif

TEST(BenchStep, RefusesAModelThatThereIsNot) {
  const auto done = run_lockstep({"bench", "step", "--models", "mlp,vgg:8"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, HasSubstr("there is no model 'vgg'; there are mlp, gpt and resnet18"));
}

TEST(BenchStep, ListsAllProblemsOfItsOptions) {
  const auto done = run_lockstep({"bench", "step", "--rounds", "0", "--variants", "fsdp"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, StartsWith("lockstep bench step: 2 problems, nothing was run:\n"));
}

}  // namespace
}  // namespace lockstep::bench::step
