#include "cli/bench/step/step_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/temp_dir.h"
#include "cli/bench/step/variant.h"
#include "cli/program_run.h"

namespace lockstep::bench::step {
namespace {

using cli::run_lockstep;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A model that takes no time, so that most of it is the start of the workers.
std::vector<std::string> quick_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"bench",    "step", "--models",         "mlp-tiny:2",
                                    "--rounds", "2",    "--time-per-round", "1ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

constexpr const char* kNoTorch = "this build has no libtorch to train with";

// Every variant that this machine has; it also holds Lockstep and PyTorch to the same losses.
TEST(BenchStep, MeasuresAndWritesWhatItFound) {
  if (!LOCKSTEP_HAS_TORCH) {
    GTEST_SKIP() << kNoTorch;
  }
  const TempDir folder;
  const auto json_path = folder.path() / "result.json";
  const auto plot_path = folder.path() / "result.svg";
  const auto done = run_lockstep(quick_with({"--json", json_path.string(), "--plot", plot_path.string()}));
  EXPECT_EQ(done.standard_error, "");
  ASSERT_EQ(done.status.exit_code, 0);
  EXPECT_THAT(done.standard_output, StartsWith("training step: "));
  EXPECT_THAT(done.standard_output, HasSubstr("\nmlp-tiny:2 "));
  EXPECT_THAT(done.standard_output, HasSubstr("  at most 1.12: "));

  const auto json = nlohmann::json::parse(content_of(json_path));
  EXPECT_EQ(json.at("format"), 1);
  EXPECT_EQ(json.at("rounds"), 2);
  std::set<std::string> variants;
  for (const auto& result : json.at("results")) {
    variants.insert(result.at("variant"));
    EXPECT_EQ(result.at("model"), "mlp-tiny");
    EXPECT_EQ(result.at("batch"), 2);
    const auto variant = result.at("variant").get<std::string>();
    const bool one = variant.ends_with("-1rank") || variant.starts_with("pytorch-threads");
    EXPECT_EQ(result.at("ranks"), one ? 1 : 2);
    EXPECT_GT(result.at("median_ms"), 0);
    EXPECT_LE(result.at("p10_ms"), result.at("median_ms"));
    EXPECT_GE(result.at("p90_ms"), result.at("median_ms"));
    EXPECT_GT(result.at("peak_rss_mb"), 10);
    EXPECT_GT(result.at("total_memory_mb"), 10);
    EXPECT_GE(result.at("samples"), 4);  // two rounds of at least two steps
  }
  EXPECT_EQ(variants.size() + json.at("left_out").size(), kVariants.size());
  for (const char* ours : {"no-comm", "ddp", "sharded", "sharded-shared", "ddp-1rank", "plain-1rank"}) {
    EXPECT_TRUE(variants.contains(ours)) << ours;
  }
  EXPECT_GT(json.at("ratios").at(0).at("overhead"), 0);
  EXPECT_THAT(content_of(plot_path), HasSubstr("data-series=\"mlp-tiny:2 ddp\""));
}

TEST(BenchStep, MeasuresTheVariantsItIsAskedFor) {
  if (!LOCKSTEP_HAS_TORCH) {
    GTEST_SKIP() << kNoTorch;
  }
  const auto done = run_lockstep(quick_with({"--variants", "plain-1rank,ddp-1rank,plain-1rank"}));
  EXPECT_EQ(done.status.exit_code, 0) << done.standard_error;
  EXPECT_THAT(done.standard_output, HasSubstr("\nplain-1rank "));
  EXPECT_THAT(done.standard_output, HasSubstr("\nddp-1rank "));
  EXPECT_THAT(done.standard_output, Not(HasSubstr("\nno-comm ")));
  EXPECT_THAT(done.standard_output, HasSubstr("  at least 1.25: not measured\n"));
}

TEST(BenchStep, SaysFirstThatItCannotWrite) {
  if (!LOCKSTEP_HAS_TORCH) {
    GTEST_SKIP() << kNoTorch;
  }
  const auto done = run_lockstep(quick_with({"--json", "/does/not/exist.json"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_THAT(done.standard_error, HasSubstr("cannot write /does/not/exist.json: No such file or directory"));
}

TEST(BenchStep, RefusesAPythonThatIsNone) {
  if (!LOCKSTEP_HAS_TORCH) {
    GTEST_SKIP() << kNoTorch;
  }
  const auto done = run_lockstep(quick_with({"--python", "/dev/null"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, HasSubstr("--python: /dev/null is not a program that can be started"));
}

TEST(BenchStep, NamesTheRankOfAPythonWithoutPytorch) {
  if (!LOCKSTEP_HAS_TORCH) {
    GTEST_SKIP() << kNoTorch;
  }
  const auto done = run_lockstep(quick_with({"--variants", "pytorch-ddp", "--python", "/bin/false"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(
      done.standard_error,
      testing::ContainsRegex("rank [01] of 2 of pytorch-ddp .mlp-tiny:2. exited with code 1 before it "
                             "connected"));
}

TEST(BenchStep, NeedsLibtorch) {
  if (LOCKSTEP_HAS_TORCH) {
    GTEST_SKIP() << "this build has libtorch";
  }
  const auto done = run_lockstep(quick_with({}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error,
              HasSubstr("this lockstep was built without libtorch; build it with LOCKSTEP_WITH_TORCH=ON"));
}

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
