#include "config/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sample_options.h"

namespace lockstep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Findings read(const Environment& environment, std::string_view prefix = "LOCKSTEP") {
  SampleOptions options;
  Description description;
  options.describe(description);
  return read_environment(description, prefix, environment);
}

TEST(Environment, NamesVariablesAfterOptions) {
  const Findings findings = read({{"LOCKSTEP_OPTIM_WARMUP_STEPS", "5"}, {"LOCKSTEP_BATCH_SIZE", "64"}});
  ASSERT_EQ(findings.settings.size(), 2U);
  EXPECT_EQ(findings.settings[0].name, "batch-size");
  EXPECT_EQ(to_text(findings.settings[0].value), "64");
  EXPECT_EQ(findings.settings[0].origin(), "environment LOCKSTEP_BATCH_SIZE");
  EXPECT_EQ(findings.settings[1].name, "optim.warmup.steps");
  EXPECT_THAT(findings.problems, IsEmpty());
}

TEST(Environment, ChecksValues) {
  EXPECT_THAT(
      read({{"LOCKSTEP_AMP", "maybe"}, {"LOCKSTEP_MILESTONES", "0.5,2"}, {"LOCKSTEP_SEED", ""}}).problems,
      ElementsAre("LOCKSTEP_SEED: '' is not an integer", "LOCKSTEP_AMP: 'maybe' is neither true nor false",
                  "LOCKSTEP_MILESTONES: 2 is out of range [0, 1]"));
}

TEST(Environment, IgnoresWhatBelongsToOthers) {
  const Findings findings =
      read({{"LOCKSTEP_RANK", "3"}, {"BATCH_SIZE", "x"}, {"LOCKSTEP_", ""}, {"LOCKSTEP", ""}});
  EXPECT_THAT(findings.settings, IsEmpty());
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_THAT(findings.warnings, IsEmpty());
}

TEST(Environment, WarnsAboutNearMisses) {
  const Findings findings =
      read({{"LOCKSTEP_BATCHSIZE", "3"}, {"LOCKSTEP_CONFIGS", "x"}, {"LOCKSTEP_BATCH_SIZE", "4"}});
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_THAT(findings.warnings,
              ElementsAre("LOCKSTEP_BATCHSIZE: no option of this program, so it is ignored; did you mean "
                          "'LOCKSTEP_BATCH_SIZE'?",
                          "LOCKSTEP_CONFIGS: no option of this program, so it is ignored; did you mean "
                          "'LOCKSTEP_CONFIG'?"));
}

TEST(Environment, UsesThePrefixOfTheProgram) {
  EXPECT_EQ(read({{"MY_SEED", "3"}, {"LOCKSTEP_SEED", "4"}}, "MY").settings.at(0).origin(),
            "environment MY_SEED");
  EXPECT_THAT(read({{"_SEED", "3"}, {"SEED", "4"}}, "").settings, IsEmpty());
}

TEST(Environment, OfTheProcessIsTheRealOne) {
  ASSERT_EQ(setenv("LOCKSTEP_TEST_OF_ENVIRONMENT", "a=b", 1), 0);
  EXPECT_EQ(process_environment().at("LOCKSTEP_TEST_OF_ENVIRONMENT"), "a=b");
  unsetenv("LOCKSTEP_TEST_OF_ENVIRONMENT");
}

}  // namespace
}  // namespace lockstep::config
