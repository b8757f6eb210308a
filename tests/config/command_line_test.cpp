#include "config/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_options.h"

namespace lockstep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() { options_.describe(description_); }

  CommandLine read(const std::vector<std::string>& arguments, Positionals policy = Positionals::kNone) {
    return read_command_line(description_, arguments, policy);
  }

  // "name=value" of every flag in order.
  std::vector<std::string> values(const std::vector<std::string>& arguments) {
    const CommandLine line = read(arguments);
    EXPECT_THAT(line.findings.problems, IsEmpty());
    std::vector<std::string> texts;
    for (const Setting& setting : line.findings.settings) {
      texts.push_back(setting.name + "=" + to_text(setting.value));
    }
    return texts;
  }

  std::vector<std::string> problems(const std::vector<std::string>& arguments) {
    return read(arguments).findings.problems;
  }

  SampleOptions options_;
  Description description_;
};

TEST_F(CommandLineTest, TakesValuesAfterASpaceOrAnEqualsSign) {
  EXPECT_THAT(values({"--batch-size", "64"}), ElementsAre("batch-size=64"));
  EXPECT_THAT(values({"--batch-size=64"}), ElementsAre("batch-size=64"));
  EXPECT_THAT(values({"--optim.lr", "0.2"}), ElementsAre("optim.lr=0.2"));
  EXPECT_THAT(values({"--data=a=b"}), ElementsAre("data=a=b"));
}

TEST_F(CommandLineTest, TakesUnderscoresForDashesInNamesOnly) {
  EXPECT_THAT(values({"--batch_size", "64"}), ElementsAre("batch-size=64"));
  EXPECT_THAT(values({"--batch_size=64"}), ElementsAre("batch-size=64"));
  EXPECT_THAT(values({"--data=my_data"}), ElementsAre("data=my_data"));
  EXPECT_THAT(values({"--data", "my_data"}), ElementsAre("data=my_data"));
}

TEST_F(CommandLineTest, TakesAliasesInAllTheirForms) {
  EXPECT_THAT(values({"-b", "64"}), ElementsAre("batch-size=64"));
  EXPECT_THAT(values({"-b64"}), ElementsAre("batch-size=64"));
  EXPECT_THAT(values({"-b=64"}), ElementsAre("batch-size=64"));
}

TEST_F(CommandLineTest, TakesSwitchesInAllTheirForms) {
  EXPECT_THAT(values({"--amp"}), ElementsAre("amp=true"));
  EXPECT_THAT(values({"--no-amp"}), ElementsAre("amp=false"));
  EXPECT_THAT(values({"--no_amp"}), ElementsAre("amp=false"));
  EXPECT_THAT(values({"--amp=false"}), ElementsAre("amp=false"));
  EXPECT_THAT(values({"--amp=yes"}), ElementsAre("amp=true"));
  EXPECT_THAT(values({"--no-amp=true"}), ElementsAre("amp=false"));
  EXPECT_THAT(values({"--optim.nesterov"}), ElementsAre("optim.nesterov=true"));
  EXPECT_THAT(values({"--optim.no-nesterov"}), ElementsAre("optim.nesterov=false"));
  EXPECT_THAT(values({"--no-optim.nesterov"}), ElementsAre("optim.nesterov=false"));
}

TEST_F(CommandLineTest, KeepsTheOrderOfRepeatedFlags) {
  EXPECT_THAT(values({"--amp", "-b", "1", "--no-amp", "--batch-size=2"}),
              ElementsAre("amp=true", "batch-size=1", "amp=false", "batch-size=2"));
}

TEST_F(CommandLineTest, TakesEmptyValues) {
  EXPECT_THAT(values({"--data="}), ElementsAre("data="));
  EXPECT_THAT(values({"--data", ""}), ElementsAre("data="));
  EXPECT_THAT(values({"--data=", "--amp"}), ElementsAre("data=", "amp=true"));
}

TEST_F(CommandLineTest, TakesNegativeNumbersForValues) {
  for (const char* number : {"-3", "-.5", "-0.5", "-1e3", "-inf"}) {
    EXPECT_THAT(values({"--data", number}), ElementsAre(std::string("data=") + number));
    EXPECT_THAT(values({std::string("--data=") + number}), ElementsAre(std::string("data=") + number));
  }
  EXPECT_THAT(problems({"--optim.lr", "-.5"}), ElementsAre("--optim.lr: -0.5 is out of range [0, 10]"));
  EXPECT_THAT(problems({"-b", "-.5"}), ElementsAre("--batch-size: '-.5' is not an integer"));
}

TEST_F(CommandLineTest, NamesTheFlagThatHasNoValue) {
  EXPECT_THAT(problems({"--batch-size"}), ElementsAre("--batch-size: needs a value"));
  EXPECT_THAT(
      problems({"--batch-size", "--optim.lr", "-b"}),
      ElementsAre("--batch-size: needs a value", "--optim.lr: needs a value", "--batch-size: needs a value"));
  EXPECT_THAT(problems({"--data", "--", "x"}),
              ElementsAre("--data: needs a value", "'x': unexpected argument"));
  EXPECT_THAT(problems({"--config"}), ElementsAre("--config: needs the path of a TOML file"));
  EXPECT_THAT(problems({"--config="}), ElementsAre("--config: needs the path of a TOML file"));
}

TEST_F(CommandLineTest, ChecksEveryRepetition) {
  EXPECT_THAT(problems({"-b", "0", "-b", "x", "-b", "1"}),
              ElementsAre("--batch-size: 0 is out of range [1, 1048576] samples",
                          "--batch-size: 'x' is not an integer"));
}

TEST_F(CommandLineTest, GuessesWhatAnUnknownFlagMeant) {
  EXPECT_THAT(problems({"--bach-size=3"}),
              ElementsAre("--bach-size: unknown flag; did you mean '--batch-size'?"));
  EXPECT_THAT(problems({"--shedule", "cosine"}),
              ElementsAre("--shedule: unknown flag; did you mean '--optim.schedule'?"));
  EXPECT_THAT(problems({"--no-nestrov"}),
              ElementsAre("--no-nestrov: unknown flag; did you mean '--optim.no-nesterov'?"));
  EXPECT_THAT(problems({"--hlep"}), ElementsAre("--hlep: unknown flag; did you mean '--help'?"));
  EXPECT_THAT(problems({"--frobnicate"}), ElementsAre("--frobnicate: unknown flag"));
  EXPECT_THAT(problems({"-x"}), ElementsAre("-x: unknown flag"));
  EXPECT_THAT(problems({"--=1"}), ElementsAre("--: unknown flag"));
  EXPECT_THAT(problems({"--no-batch-size"}), ElementsAre("--no-batch-size: unknown flag"));
}

TEST_F(CommandLineTest, RefusesStrayArguments) {
  EXPECT_THAT(problems({"stray"}), ElementsAre("'stray': unexpected argument"));
  EXPECT_THAT(problems({"-3"}), ElementsAre("'-3': unexpected argument"));
  EXPECT_THAT(problems({"-"}), ElementsAre("'-': unexpected argument"));
  EXPECT_THAT(problems({"--data", "x", "x"}), ElementsAre("'x': unexpected argument"));
  EXPECT_THAT(problems({"--", "--amp"}), ElementsAre("'--amp': unexpected argument"));
}

TEST_F(CommandLineTest, ExplainsAStrayValueOfASwitch) {
  EXPECT_THAT(problems({"--amp", "false"}),
              ElementsAre("'false': unexpected argument; a value for --amp is written --amp=false"));
  EXPECT_THAT(
      problems({"--optim.no-nesterov", "x"}),
      ElementsAre(
          "'x': unexpected argument; a value for --optim.nesterov is written --optim.nesterov=false"));
  EXPECT_THAT(problems({"--amp="}),
              ElementsAre("'': unexpected argument; a value for --amp is written --amp=false"));
}

TEST_F(CommandLineTest, ReadsTheFlagsOfEveryProgram) {
  EXPECT_TRUE(read({"--help"}).help);
  EXPECT_TRUE(read({"-h"}).help);
  EXPECT_FALSE(read({}).help);
  EXPECT_EQ(read({}).print_config, std::nullopt);
  EXPECT_EQ(read({"--print-config"}).print_config, "toml");
  EXPECT_EQ(read({"--print_config=json"}).print_config, "json");
  EXPECT_THAT(problems({"--print-config=xml"}),
              ElementsAre("--print-config: 'xml' is neither toml nor json"));
  EXPECT_THAT(read({"--config", "a.toml", "--config=b.toml"}).config_files, ElementsAre("a.toml", "b.toml"));
}

TEST_F(CommandLineTest, CollectsPositionalsBetweenFlags) {
  const CommandLine line =
      read({"a", "--amp", "b_c", "-b", "2", "[x,y]", "-3", "--", "--amp", "--x_y"}, Positionals::kCollect);
  EXPECT_THAT(line.findings.problems, IsEmpty());
  EXPECT_THAT(line.positionals, ElementsAre("a", "b_c", "[x,y]", "-3", "--amp", "--x_y"));
  EXPECT_EQ(line.findings.settings.size(), 2U);
}

TEST_F(CommandLineTest, StillRefusesUnknownFlagsBetweenPositionals) {
  const CommandLine line = read({"a", "--nope", "b"}, Positionals::kCollect);
  EXPECT_THAT(line.findings.problems, ElementsAre("--nope: unknown flag"));
}

TEST_F(CommandLineTest, PassesTheRestThroughUntouched) {
  const CommandLine line =
      read({"-b", "4", "program", "--amp", "--its_own=", "--optim.lr", "-.5", "--", "-b"},
           Positionals::kPassThrough);
  EXPECT_THAT(line.findings.problems, IsEmpty());
  EXPECT_EQ(line.findings.settings.size(), 1U);
  EXPECT_THAT(line.positionals,
              ElementsAre("program", "--amp", "--its_own=", "--optim.lr", "-.5", "--", "-b"));
}

TEST_F(CommandLineTest, FindsWhereTheRestBeginsEvenWhenItsNameIsAValueToo) {
  EXPECT_THAT(read({"--data", "program", "program", "x"}, Positionals::kPassThrough).positionals,
              ElementsAre("program", "x"));
}

TEST_F(CommandLineTest, PassesThroughAfterTheMark) {
  EXPECT_THAT(read({"--amp", "--", "--program", "--", "x"}, Positionals::kPassThrough).positionals,
              ElementsAre("--program", "--", "x"));
}

TEST_F(CommandLineTest, RefusesUnknownFlagsBeforeWhatIsPassedThrough) {
  const CommandLine line =
      read({"--nope", "-.5", "--batch-size", "0", "program", "--fine"}, Positionals::kPassThrough);
  EXPECT_THAT(line.findings.problems, ElementsAre("--batch-size: 0 is out of range [1, 1048576] samples",
                                                  "--nope: unknown flag", "-.5: unknown flag"));
  EXPECT_THAT(line.positionals, ElementsAre("program", "--fine"));
}

}  // namespace
}  // namespace lockstep::config
