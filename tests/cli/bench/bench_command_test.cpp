#include "cli/bench_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/temp_dir.h"
#include "cli/bench/file_content.h"
#include "cli/program_run.h"

namespace lockstep::cli {
namespace {

using bench::content_of;
using testing::HasSubstr;
using testing::StartsWith;

// Few and small, so that it takes about a second.
const std::vector<std::string> kQuick = {"bench",    "allreduce", "--ranks",           "2",
                                         "--sizes",  "4KiB,1MiB", "--implementations", "lockstep",
                                         "--rounds", "1",         "--time-per-point",  "1ms"};

std::vector<std::string> quick_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = kQuick;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Bench, MeasuresAndWritesWhatItFound) {
  const TempDir folder;
  const auto json_path = folder.path() / "result.json";
  const auto plot_path = folder.path() / "result.svg";
  const auto done = run_lockstep(quick_with({"--json", json_path.string(), "--plot", plot_path.string()}));
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.status.exit_code, 0);
  EXPECT_THAT(done.standard_output, StartsWith("all-reduce: the sum of float32 buffers"));
  EXPECT_THAT(done.standard_output, HasSubstr("\n2 ranks on "));

  const auto json = nlohmann::json::parse(content_of(json_path));
  EXPECT_EQ(json.at("format"), 1);
  ASSERT_EQ(json.at("results").size(), 2);
  for (const auto& result : json.at("results")) {
    EXPECT_EQ(result.at("impl"), "lockstep");
    EXPECT_EQ(result.at("ranks"), 2);
    EXPECT_GE(result.at("samples"), 30);
    EXPECT_GT(result.at("median_us"), 0);
    EXPECT_GE(result.at("p95_us"), result.at("median_us"));
  }
  EXPECT_EQ(json.at("results").at(0).at("bytes"), 4096);
  EXPECT_EQ(json.at("results").at(1).at("bytes"), 1 << 20);
  ASSERT_EQ(json.at("bound").size(), 2);
  EXPECT_GT(json.at("bound").at(0).at("bound_us"), 0);
  EXPECT_GT(json.at("ping_pong").at("median_ns"), 0);
  EXPECT_TRUE(json.at("ratios").empty());
  EXPECT_THAT(content_of(plot_path), HasSubstr("data-series=\"lockstep 2\""));
}

// With every implementation that this build has; the others must be named with the reason.
TEST(Bench, ComparesAllThatAreThereAndSaysWhoIsNot) {
  const TempDir folder;
  const auto json_path = folder.path() / "result.json";
  const auto done = run_lockstep({"bench", "allreduce", "--ranks", "2", "--sizes", "4KiB", "--rounds", "1",
                                  "--time-per-point", "1ms", "--json", json_path.string()});
  EXPECT_EQ(done.status.exit_code, 0) << done.standard_error;
  const auto json = nlohmann::json::parse(content_of(json_path));
  EXPECT_EQ(json.at("results").size() + json.at("left_out").size(), 3);
  EXPECT_EQ(json.at("ratios").size(), json.at("results").size() - 1);
}

TEST(Bench, SaysFirstThatItCannotWrite) {
  const auto done = run_lockstep(quick_with({"--json", "/does/not/exist.json"}));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_THAT(done.standard_error, HasSubstr("cannot write /does/not/exist.json: No such file or directory"));
}

TEST(Bench, ListsAllProblemsOfItsOptions) {
  const auto done = run_lockstep(
      {"bench", "allreduce", "--ranks", "1", "--sizes", "1", "--implementations", "nccl", "--rounds", "0"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, StartsWith("lockstep bench allreduce: 4 problems, nothing was run:\n"));
  for (const char* option : {"--ranks: ", "--sizes: ", "--implementations: ", "--rounds: "}) {
    EXPECT_THAT(done.standard_error, HasSubstr(option));
  }
}

TEST(Bench, RefusesASizeThatSplitsANumber) {
  const auto done = run_lockstep({"bench", "allreduce", "--sizes", "4097"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, HasSubstr("--sizes: 4097B is not a whole number of float32 values"));
}

TEST(Bench, KnowsWhichBenchmarksThereAre) {
  EXPECT_THAT(run_lockstep({"bench", "--help"}).standard_output,
              StartsWith("usage: lockstep bench allreduce"));
  EXPECT_EQ(run_lockstep({"bench"}).status.exit_code, 2);
  const auto done = run_lockstep({"bench", "broadcast"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_error,
            "lockstep bench: unknown benchmark 'broadcast'; there are 'allreduce', 'step' and 'scaling'\n");
}

TEST(BenchWorker, EndsWhenNobodyWantsIt) {
  const auto done = run_lockstep({"bench", "worker", "--socket", "lockstep.nobody", "--flags-fd", "0"});
  EXPECT_EQ(done.status.exit_code, 1);
  EXPECT_THAT(done.standard_error, StartsWith("worker of the benchmark: "));
}

}  // namespace
}  // namespace lockstep::cli
