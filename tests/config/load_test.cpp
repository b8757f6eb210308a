#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "sample_options.h"

namespace lockstep::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Load, LeavesDefaultsWhenNothingIsSaid) {
  SampleOptions options;
  const LoadResult result = load(options, {}, sample_program(), {});
  EXPECT_TRUE(result.ready());
  EXPECT_EQ(options, SampleOptions{});
  EXPECT_EQ(result.settings.values.size(), 12U);
  EXPECT_EQ(result.settings.find("optim.lr")->origin(), "default");
  EXPECT_EQ(result.settings.find("nothing"), nullptr);
}

TEST(Load, AssignsEveryType) {
  SampleOptions options;
  const LoadResult result = load(options,
                                 {"-b",
                                  "8",
                                  "--seed=9",
                                  "--amp",
                                  "--data",
                                  "/d",
                                  "--milestones",
                                  "0.1,0.2",
                                  "--optim.lr",
                                  "3e-4",
                                  "--optim.warmup.steps",
                                  "5",
                                  "--optim.warmup.start=0.5",
                                  "--optim.schedule",
                                  "constant",
                                  "--optim.no-nesterov",
                                  "--comm.timeout",
                                  "2min",
                                  "--comm.bucket",
                                  "1MiB"},
                                 sample_program(), {});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(options, (SampleOptions{.batch_size = 8,
                                    .seed = 9,
                                    .amp = true,
                                    .data = "/d",
                                    .milestones = {0.1, 0.2},
                                    .optim = {.lr = 3e-4,
                                              .schedule = Schedule::kConstant,
                                              .nesterov = false,
                                              .warmup = {.steps = 5, .start = 0.5F}},
                                    .comm = {.timeout = 120s, .bucket = ByteSize::mib(1)}}));
}

// Every combination of the three sources; the highest one present has to win.
TEST(Load, PrefersFlagsToVariablesToFilesToDefaults) {
  const TempDir folder;
  const std::string file = folder.write("run.toml", "\nseed = 20\n").string();
  for (unsigned sources = 0; sources < 8; ++sources) {
    const bool in_file = (sources & 1U) != 0;
    const bool in_environment = (sources & 2U) != 0;
    const bool in_flags = (sources & 4U) != 0;
    std::vector<std::string> arguments;
    if (in_file) {
      arguments.insert(arguments.end(), {"--config", file});
    }
    if (in_flags) {
      arguments.insert(arguments.end(), {"--seed", "40"});
    }
    SampleOptions options;
    const LoadResult result = load(options, arguments, sample_program(),
                                   in_environment ? Environment{{"LOCKSTEP_SEED", "30"}} : Environment{});
    const std::uint64_t expected = in_flags ? 40 : in_environment ? 30 : in_file ? 20 : 1;
    const std::string origin = in_flags         ? "flag --seed"
                               : in_environment ? "environment LOCKSTEP_SEED"
                               : in_file        ? "file " + file + ":2"
                                                : "default";
    EXPECT_THAT(result.problems, IsEmpty());
    EXPECT_EQ(options.seed, expected) << sources;
    EXPECT_EQ(result.settings.find("seed")->origin(), origin) << sources;
  }
}

TEST(Load, LetsTheLastFlagAndTheLastFileWin) {
  const TempDir folder;
  const std::string first = folder.write("first.toml", "seed = 2\nbatch-size = 2\n").string();
  const std::string second = folder.write("second.toml", "seed = 3\n").string();
  SampleOptions options;
  EXPECT_TRUE(load(options, {"--config", first, "--config", second, "--amp", "--no-amp", "--amp=true"},
                   sample_program(), {})
                  .ready());
  EXPECT_EQ(options.seed, 3U);
  EXPECT_EQ(options.batch_size, 2);
  EXPECT_TRUE(options.amp);
}

TEST(Load, ReadsTheFileOfTheEnvironmentUnlessAFlagNamesOne) {
  const TempDir folder;
  const std::string by_variable = folder.write("variable.toml", "seed = 2\namp = true\n").string();
  const std::string by_flag = folder.write("flag.toml", "seed = 3\n").string();
  const Environment environment = {{"LOCKSTEP_CONFIG", by_variable}};
  SampleOptions options;
  EXPECT_TRUE(load(options, {}, sample_program(), environment).ready());
  EXPECT_EQ(options.seed, 2U);
  SampleOptions others;
  EXPECT_TRUE(load(others, {"--config", by_flag}, sample_program(), environment).ready());
  EXPECT_EQ(others.seed, 3U);
  EXPECT_FALSE(others.amp);
  EXPECT_TRUE(load(others, {}, sample_program(), {{"LOCKSTEP_CONFIG", ""}}).ready());
}

TEST(Load, ChecksValuesThatAreOverridden) {
  const TempDir folder;
  const std::string file = folder.write("run.toml", "seed = -1\n").string();
  SampleOptions options;
  const LoadResult result = load(options, {"--config", file, "--seed", "x", "--seed", "5"}, sample_program(),
                                 {{"LOCKSTEP_SEED", "y"}});
  EXPECT_THAT(
      result.problems,
      ElementsAre(
          "--seed: 'x' is not an integer", "LOCKSTEP_SEED: 'y' is not an integer",
          file + ":1: seed: '-1' is out of range [0, 18446744073709551615] of a 64-bit unsigned integer"));
  EXPECT_EQ(options, SampleOptions{});
}

TEST(Load, AsksForWhatIsRequired) {
  struct Required {
    std::string data;
    int count = 0;

    void describe(Description& d) {
      d.option("data", data, "what to read").required();
      d.option("count", count, "how many").range(1, 3).required();
    }
  };
  Required options;
  EXPECT_THAT(
      load(options, {"--count", "2"}, sample_program(), {}).problems,
      ElementsAre("--data: required; give this flag, set LOCKSTEP_DATA or put 'data' into a --config file"));
  EXPECT_THAT(load(options, {"--count", "2"}, {.name = "p", .env_prefix = ""}, {}).problems,
              ElementsAre("--data: required; give this flag or put 'data' into a --config file"));
  EXPECT_EQ(options.count, 0);
  EXPECT_TRUE(load(options, {"--count", "2"}, sample_program(), {{"LOCKSTEP_DATA", ""}}).ready());
  EXPECT_EQ(options.count, 2);
}

TEST(Load, PrefersHelpToProblems) {
  SampleOptions options;
  const LoadResult result = load(options, {"--nope", "-b", "0", "--help"}, sample_program(), {});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_FALSE(result.ready());
  EXPECT_TRUE(result.output.starts_with("Usage: train [OPTION]...\n\nTrains a model.\n")) << result.output;
}

TEST(Load, PrefersProblemsToPrinting) {
  SampleOptions options;
  const LoadResult result = load(options, {"--print-config", "-b", "0"}, sample_program(), {});
  EXPECT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.output, "");
}

TEST(Load, AssignsNothingWhenItPrints) {
  SampleOptions options;
  EXPECT_FALSE(load(options, {"--print-config", "-b", "5"}, sample_program(), {}).ready());
  EXPECT_EQ(options, SampleOptions{});
}

TEST(Load, ReadsBackWhatItPrinted) {
  const TempDir folder;
  SampleOptions written;
  const LoadResult printed =
      load(written, {"-b", "8", "--optim.warmup.steps=5", "--optim.lr", "1e-7", "--print-config"},
           sample_program(), {});
  const std::string file = folder.write("run.toml", printed.output).string();
  SampleOptions read_back;
  const LoadResult result = load(read_back, {"--config", file}, sample_program(), {});
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(read_back.batch_size, 8);
  EXPECT_EQ(read_back.optim.warmup.steps, 5);
  EXPECT_TRUE(diff(to_json(printed.settings), to_json(result.settings)).empty());
  for (const Setting& setting : result.settings.values) {
    EXPECT_EQ(setting.source, Source::kFile) << setting.name;
  }
}

TEST(Load, FindsMistakesInTheDescription) {
  Description description;
  int field = 0;
  description.option("n", field, "").range(1, 2);
  EXPECT_THROW(load(description, {"--help"}, sample_program(), {}), Error);
}

// parse_command_line() reads the real environment; these tests keep it free of our prefix.
class ParseCommandLine : public ::testing::Test {
 protected:
  struct Outcome {
    std::optional<int> exit_code;
    std::string out;
    std::string err;
  };

  Outcome parse(std::vector<const char*> arguments, ProgramInfo program = sample_program()) {
    arguments.insert(arguments.begin(), "/usr/bin/train-me");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.exit_code = parse_command_line(options_, static_cast<int>(arguments.size()), arguments.data(),
                                           std::move(program), &positionals_);
    outcome.out = ::testing::internal::GetCapturedStdout();
    outcome.err = ::testing::internal::GetCapturedStderr();
    return outcome;
  }

  void set(const char* variable, const char* value) {
    ASSERT_EQ(setenv(variable, value, 1), 0);
    variables_.emplace_back(variable);
  }

  void TearDown() override {
    for (const std::string& variable : variables_) {
      unsetenv(variable.c_str());
    }
  }

  SampleOptions options_;
  std::vector<std::string> positionals_;

 private:
  std::vector<std::string> variables_;
};

TEST_F(ParseCommandLine, LetsAGoodRunGoOnInSilence) {
  const Outcome outcome = parse({"-b", "7"});
  EXPECT_EQ(outcome.exit_code, std::nullopt);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(options_.batch_size, 7);
}

TEST_F(ParseCommandLine, ListsAllProblemsOfAllSourcesAndTouchesNothing) {
  const TempDir folder;
  const std::string file =
      folder.write("run.toml", "seed = 7\n\n[optim]\nmomentun = 0.9\nschedul = 1\n").string();
  set("LOCKSTEP_AMP", "maybe");
  const Outcome outcome = parse({"--batch-size", "0", "--optim.lr", "fast", "--config", file.c_str()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "train: 5 problems, nothing was run:\n"
            "  --batch-size: 0 is out of range [1, 1048576] samples\n"
            "  --optim.lr: 'fast' is not a number\n"
            "  LOCKSTEP_AMP: 'maybe' is neither true nor false\n"
            "  " +
                file +
                ":4: unknown key 'optim.momentun'\n"
                "  " +
                file +
                ":5: unknown key 'optim.schedul'; did you mean 'optim.schedule'?\n"
                "run 'train --help' for the list of options\n");
  EXPECT_EQ(options_, SampleOptions{});
}

TEST_F(ParseCommandLine, SpeaksOfOneProblemInTheSingular) {
  EXPECT_EQ(parse({"-b", "x"}).err,
            "train: 1 problem, nothing was run:\n"
            "  --batch-size: 'x' is not an integer\n"
            "run 'train --help' for the list of options\n");
}

TEST_F(ParseCommandLine, PrintsWarningsAndGoesOn) {
  set("LOCKSTEP_SEEED", "3");
  const Outcome outcome = parse({});
  EXPECT_EQ(outcome.exit_code, std::nullopt);
  EXPECT_EQ(outcome.err,
            "train: warning: LOCKSTEP_SEEED: no option of this program, so it is ignored; did you mean "
            "'LOCKSTEP_SEED'?\n");
}

TEST_F(ParseCommandLine, PrintsWhatWasAskedForAndEndsWell) {
  const Outcome help = parse({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_NE(help.out.find("--batch-size INTEGER"), std::string::npos);
  const Outcome config = parse({"--print-config"});
  EXPECT_EQ(config.exit_code, 0);
  EXPECT_NE(config.out.find("\nbatch-size = 32\n"), std::string::npos);
}

TEST_F(ParseCommandLine, TakesTheNameFromTheProgramWhenItHasNone) {
  EXPECT_TRUE(parse({"--nope"}, {}).err.starts_with("train-me: 1 problem, nothing was run:\n"));
}

TEST_F(ParseCommandLine, HandsOutPositionals) {
  ProgramInfo program = sample_program();
  program.positionals = Positionals::kPassThrough;
  EXPECT_EQ(parse({"--amp", "worker", "--amp"}, program).exit_code, std::nullopt);
  EXPECT_THAT(positionals_, ElementsAre("worker", "--amp"));
  EXPECT_THROW(parse_command_line(options_, 0, nullptr, program), Error);
}

TEST_F(ParseCommandLine, SurvivesAnEmptyArgv) {
  EXPECT_EQ(parse_command_line(options_, 0, nullptr, sample_program()), std::nullopt);
}

}  // namespace
}  // namespace lockstep::config
