#include "config/toml_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_dir.h"
#include "sample_options.h"

namespace lockstep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Findings read(const std::string& text) {
  SampleOptions options;
  Description description;
  options.describe(description);
  return read_toml(description, "run.toml", text);
}

// "name=value at where" of every setting.
std::vector<std::string> settings(const std::string& text) {
  const Findings findings = read(text);
  EXPECT_THAT(findings.problems, IsEmpty());
  std::vector<std::string> texts;
  for (const Setting& setting : findings.settings) {
    texts.push_back(setting.name + "=" + to_text(setting.value) + " at " + setting.where);
  }
  return texts;
}

std::vector<std::string> problems(const std::string& text) {
  return read(text).problems;
}

TEST(TomlFile, SetsOptionsOfEveryKind) {
  EXPECT_THAT(
      settings("batch-size = 1_000\n"
               "seed = 0xff\n"
               "amp = true\n"
               "data = 'c:\\x'\n"
               "milestones = [\n"
               "  0,\n"
               "  0.25,\n"
               "]\n"
               "[optim]\n"
               "lr = 1\n"
               "schedule = \"constant\"\n"
               "warmup.steps = 7\n"
               "[comm]\n"
               "timeout = '1.5s'\n"
               "bucket = 65536\n"),
      ElementsAre("batch-size=1000 at run.toml:1", "seed=255 at run.toml:2", "amp=true at run.toml:3",
                  "data=c:\\x at run.toml:4", "milestones=0,0.25 at run.toml:5", "optim.lr=1 at run.toml:10",
                  "optim.schedule=constant at run.toml:11", "optim.warmup.steps=7 at run.toml:12",
                  "comm.timeout=1500ms at run.toml:14", "comm.bucket=64KiB at run.toml:15"));
}

TEST(TomlFile, TakesUnderscoresForDashes) {
  EXPECT_THAT(settings("batch_size = 3\n"), ElementsAre("batch-size=3 at run.toml:1"));
}

TEST(TomlFile, EmptiesAnOptionalWithNone) {
  EXPECT_THAT(settings("optim.warmup.steps = 'none'"), ElementsAre("optim.warmup.steps=none at run.toml:1"));
}

TEST(TomlFile, ReadsNumbersThatTomlLibrariesRound) {
  EXPECT_THAT(settings("seed = 18446744073709551615"),
              ElementsAre("seed=18446744073709551615 at run.toml:1"));
  EXPECT_THAT(
      problems("seed = 18446744073709551616"),
      ElementsAre("run.toml:1: seed: '18446744073709551616' is out of range [0, 18446744073709551615] of a "
                  "64-bit unsigned integer"));
  EXPECT_THAT(
      problems("batch-size = 99999999999"),
      ElementsAre(
          "run.toml:1: batch-size: '99999999999' is out of range [-2147483648, 2147483647] of a 32-bit "
          "integer"));
}

TEST(TomlFile, IsFineWhenEmpty) {
  EXPECT_THAT(settings(""), IsEmpty());
  EXPECT_THAT(settings("# only a comment\n"), IsEmpty());
}

TEST(TomlFile, GuessesWhatAnUnknownKeyMeant) {
  EXPECT_THAT(problems("a = 1\n[optim]\nnestrov = true\n[optin]\nx = 1\ny = 2\n[[runs]]\nz = 1\n"),
              ElementsAre("run.toml:1: unknown key 'a'",
                          "run.toml:3: unknown key 'optim.nestrov'; did you mean 'optim.nesterov'?",
                          "run.toml:4: unknown key 'optin'; did you mean 'optim'?",
                          "run.toml:7: unknown key 'runs'"));
  EXPECT_THAT(problems("\"a\\nb\" = 1\n"), ElementsAre("run.toml:1: unknown key 'a\\nb'"));
}

TEST(TomlFile, RefusesValuesOfTheWrongType) {
  EXPECT_THAT(
      problems("batch-size = 1.0\n"
               "seed = '3'\n"
               "amp = 1\n"
               "data = 1979-05-27\n"
               "milestones = 0.5\n"
               "[optim]\n"
               "lr = '0.1'\n"
               "schedule = true\n"
               "[comm]\n"
               "timeout = 5000\n"
               "bucket = 1.5\n"),
      ElementsAre("run.toml:1: batch-size: expects an integer, not a float",
                  "run.toml:2: seed: expects an integer, not a string",
                  "run.toml:3: amp: expects true or false, not an integer",
                  "run.toml:4: data: expects a string, not a date or time",
                  "run.toml:5: milestones: expects an array, not a float",
                  "run.toml:7: optim.lr: expects a number, not a string",
                  "run.toml:8: optim.schedule: expects a string, not a boolean",
                  "run.toml:10: comm.timeout: expects a string such as \"200ms\", not an integer",
                  "run.toml:11: comm.bucket: expects a string such as \"64MiB\" or an integer, not a float"));
  EXPECT_THAT(problems("optim = 3\n[seed]\nx = 1\n[batch-size]\n"),
              ElementsAre("run.toml:1: optim: a group of options, written as a table [optim]",
                          "run.toml:2: seed: expects an integer, not a table",
                          "run.toml:4: batch-size: expects an integer, not a table"));
}

TEST(TomlFile, ChecksEveryElementOnItsLine) {
  EXPECT_THAT(problems("milestones = [0.5,\n  2.5,\n  'x']\n"),
              ElementsAre("run.toml:2: milestones: 2.5 is out of range [0, 1]",
                          "run.toml:3: milestones: expects a number, not a string"));
}

TEST(TomlFile, RefusesTheSameOptionTwice) {
  EXPECT_THAT(problems("batch-size = 3\nbatch_size = 4\n"),
              ElementsAre("run.toml:2: batch-size: set twice, first in line 1"));
}

TEST(TomlFile, NamesTheLineOfASyntaxError) {
  EXPECT_THAT(problems("seed = 1\nseed = = 2\n"),
              ElementsAre("run.toml:2: not valid TOML: bad format: unknown value appeared"));
  EXPECT_THAT(problems("seed = 1\n\nseed = 2\n"),
              ElementsAre("run.toml:3: not valid TOML: value (\"seed\") already exists."));
  EXPECT_THAT(problems("amp = tru\n"),
              ElementsAre("run.toml:1: not valid TOML: the next token is not a boolean"));
  EXPECT_THAT(problems("just words\n"),
              ElementsAre("run.toml:1: not valid TOML: missing key-value separator `=`"));
}

TEST(TomlFile, RefusesWhatIsNotUtf8) {
  EXPECT_THAT(problems("seed = 1\n# \xFF\n"), ElementsAre("run.toml:2: not valid UTF-8"));
  EXPECT_THAT(problems("'\xC3' = 1\n"), ElementsAre("run.toml:1: not valid UTF-8"));
}

TEST(TomlFile, RefusesDeepNestingInsteadOfOverflowingTheStack) {
  EXPECT_THAT(problems("x = " + std::string(100'000, '[')),
              ElementsAre("run.toml:1: nested deeper than 64 levels"));
  std::string key = "\na";
  for (int i = 0; i < 10'000; ++i) {
    key += ".a";
  }
  EXPECT_THAT(problems(key + " = 1\n"), ElementsAre("run.toml:2: nested deeper than 64 levels"));
}

TEST(TomlFile, ThatCannotBeReadIsAProblem) {
  SampleOptions options;
  Description description;
  options.describe(description);
  const TempDir folder;
  const std::string missing = (folder.path() / "none.toml").string();
  EXPECT_THAT(read_toml_file(description, missing).problems,
              ElementsAre(missing + ": cannot be read: No such file or directory"));
  const std::string present = folder.write("run.toml", "seed = 7\n").string();
  EXPECT_EQ(read_toml_file(description, present).settings.at(0).where, present + ":1");
}

}  // namespace
}  // namespace lockstep::config
