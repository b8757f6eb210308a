// Random rubbish through every door: whatever comes in, what comes out is values or problems, one line each,
// and never a crash or an exception.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml_file.h"
#include "sample_options.h"

namespace lockstep::config {
namespace {

class Rubbish {
 public:
  explicit Rubbish(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

  // Pieces that mean something to a parser, mixed with bytes that mean nothing.
  std::string text(const std::vector<std::string_view>& pieces, std::size_t most) {
    std::string result;
    for (std::size_t count = below(most + 1); count > 0; --count) {
      if (below(4) == 0) {
        result += static_cast<char>(1 + below(below(4) == 0 ? 255 : 127));  // argv has no zero bytes
      } else {
        result += pieces[below(pieces.size())];
      }
    }
    return result;
  }

 private:
  std::mt19937 random_;
};

void expect_one_line_each(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    EXPECT_FALSE(problem.empty());
    EXPECT_TRUE(std::none_of(problem.begin(), problem.end(), [](char c) { return c >= 0 && c < ' '; }))
        << problem;
  }
}

TEST(Garbage, OnTheCommandLineNeverThrows) {
  const std::vector<std::string_view> pieces = {"--",  "-",    "=",          "amp",  "no-",    "optim.",
                                                "lr",  "b",    "batch-size", "help", "config", "print-config",
                                                "0",   "9",    ".",          ",",    "e",      "inf",
                                                "nan", "[",    "]",          "{}",   "s",      "ms",
                                                "KiB", "none", "true",       "_",    " ",      "\n",
                                                "'"};
  Rubbish rubbish(20240501);
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::string> arguments;
    for (std::size_t count = rubbish.below(6); count > 0; --count) {
      arguments.push_back(rubbish.text(pieces, 5));
    }
    ProgramInfo program = sample_program();
    program.positionals = static_cast<Positionals>(rubbish.below(3));
    SampleOptions options;
    LoadResult result;
    ASSERT_NO_THROW(result = load(options, arguments, program, {})) << ::testing::PrintToString(arguments);
    expect_one_line_each(result.problems);
    if (!result.ready()) {
      EXPECT_EQ(options, SampleOptions{}) << ::testing::PrintToString(arguments);
    }
    if (program.positionals == Positionals::kNone) {
      EXPECT_TRUE(result.positionals.empty());
    }
  }
}

TEST(Garbage, InTheEnvironmentNeverThrows) {
  const std::vector<std::string_view> pieces = {"-",   "0",    "9",  ".",   ",",    "e",
                                                "inf", "none", "ms", "MiB", "true", "_"};
  const std::vector<std::string> names = {"BATCH_SIZE",         "SEED",         "AMP",
                                          "MILESTONES",         "OPTIM_LR",     "OPTIM_SCHEDULE",
                                          "OPTIM_WARMUP_STEPS", "COMM_TIMEOUT", "COMM_BUCKET"};
  Rubbish rubbish(7);
  for (int round = 0; round < 4000; ++round) {
    const Environment environment = {
        {"LOCKSTEP_" + names[rubbish.below(names.size())], rubbish.text(pieces, 6)},
        {"LOCKSTEP_" + rubbish.text(pieces, 3), "x"}};
    SampleOptions options;
    LoadResult result;
    ASSERT_NO_THROW(result = load(options, {}, sample_program(), environment))
        << ::testing::PrintToString(environment);
    expect_one_line_each(result.problems);
    expect_one_line_each(result.warnings);
  }
}

TEST(Garbage, InAFileNeverThrows) {
  const std::vector<std::string_view> pieces = {
      "seed", "amp",    "optim", "lr",   "data",       "milestones", ".", "=",  " = ",
      "\n",   "\r\n",   "[",     "]",    "[[",         "{",          "}", ",",  "\"",
      "'",    "\"\"\"", "'''",   "\\",   "\\u00",      "#",          "1", "0x", "1_0",
      "1.5",  "e9",     "inf",   "true", "1979-05-27", "T07:32:00Z", "_", "-",  "+"};
  SampleOptions options;
  Description description;
  options.describe(description);
  Rubbish rubbish(11);
  for (int round = 0; round < 4000; ++round) {
    const std::string text = rubbish.text(pieces, 24);
    Findings findings;
    ASSERT_NO_THROW(findings = read_toml(description, "run.toml", text)) << ::testing::PrintToString(text);
    expect_one_line_each(findings.problems);
  }
}

// A good file with a few bytes changed gets much further into the parser than noise does.
TEST(Garbage, InAGoodFileNeverThrows) {
  SampleOptions options;
  Description description;
  options.describe(description);
  const std::string good = load(options, {"--print-config"}, sample_program(), {}).output;
  Rubbish rubbish(13);
  for (int round = 0; round < 1500; ++round) {
    std::string text = good;
    for (std::size_t changes = 1 + rubbish.below(3); changes > 0; --changes) {
      text[rubbish.below(text.size())] = static_cast<char>(rubbish.below(130));
    }
    text.resize(rubbish.below(8) == 0 ? rubbish.below(text.size()) : text.size());
    Findings findings;
    ASSERT_NO_THROW(findings = read_toml(description, "run.toml", text)) << ::testing::PrintToString(text);
    expect_one_line_each(findings.problems);
  }
}

}  // namespace
}  // namespace lockstep::config
