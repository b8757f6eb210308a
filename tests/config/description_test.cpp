#include "lockstep/config_description.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lockstep/error.h"
#include "sample_options.h"

namespace lockstep::config {
namespace {

// The message of the Error{kInternal} that `action` throws.
template <class Action>
std::string mistake(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    return error.message();
  }
  return "no mistake found";
}

TEST(Description, NamesOptionsByTheirGroups) {
  SampleOptions options;
  Description description;
  options.describe(description);
  std::vector<std::string> names;
  for (const OptionSpec& option : description.options()) {
    names.push_back(option.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"batch-size", "seed", "amp", "data", "milestones", "optim.lr",
                                             "optim.warmup.steps", "optim.warmup.start", "optim.schedule",
                                             "optim.nesterov", "comm.timeout", "comm.bucket"}));
  EXPECT_NO_THROW(description.validate());
}

TEST(Description, RefusesMalformedNames) {
  constexpr std::string_view kRule =
      ": a name starts with a lower-case letter and has only those, digits and single dashes between them";
  int field = 0;
  for (const std::string name :
       {"", "Batch", "batch_size", "batch size", "a.b", "-a", "a-", "a--b", "1a", "\xC3\xA4"}) {
    Description description;
    EXPECT_EQ(mistake([&] { description.option(name, field, ""); }),
              "option '" + name + "'" + std::string(kRule));
  }
  Description description;
  OptimOptions group;
  EXPECT_EQ(mistake([&] { description.group("", "", group); }), "group ''" + std::string(kRule));
}

TEST(Description, RefusesTheSameNameTwice) {
  Description description;
  int field = 0;
  OptimOptions group;
  description.option("optim", field, "");
  EXPECT_EQ(mistake([&] { description.option("optim", field, ""); }), "option 'optim' is described twice");
  EXPECT_EQ(mistake([&] { description.group("optim", "", group); }), "option 'optim' is described twice");
}

TEST(Description, RefusesNamesThatShareAFlagOrAVariable) {
  bool field = false;
  CommOptions comm;
  Description negated;
  negated.option("amp", field, "");
  negated.option("no-amp", field, "");
  EXPECT_EQ(mistake([&] { negated.validate(); }), "option 'no-amp': --no-amp already belongs to 'amp'");
  Description dashed;
  dashed.group("comm", "", comm);
  dashed.option("comm-bucket", field, "");
  EXPECT_EQ(mistake([&] { dashed.validate(); }),
            "option 'comm-bucket': the variable ..._COMM_BUCKET already belongs to 'comm.bucket'");
  for (const char* name : {"help", "config", "print-config"}) {
    Description builtin;
    builtin.option(name, field, "");
    EXPECT_EQ(mistake([&] { builtin.validate(); }),
              "option '" + std::string(name) + "': --" + name + " already belongs to 'every program'");
  }
}

TEST(Description, RefusesAliasesThatAreTakenOrNoLetters) {
  int field = 0;
  Description twice;
  twice.option("a", field, "").alias('n');
  twice.option("b", field, "").alias('n');
  EXPECT_EQ(mistake([&] { twice.validate(); }), "option 'b': -n already belongs to 'a'");
  Description help;
  help.option("a", field, "").alias('h');
  EXPECT_EQ(mistake([&] { help.validate(); }), "option 'a': -h already belongs to 'every program'");
  Description digit;
  digit.option("a", field, "").alias('3');
  EXPECT_EQ(mistake([&] { digit.validate(); }), "option 'a': its alias is not a letter");
}

TEST(Description, RefusesADefaultThatItsOwnRulesForbid) {
  int number = 0;
  Description range;
  range.option("n", number, "").range(1, 5);
  EXPECT_EQ(mistake([&] { range.validate(); }),
            "option 'n': its default is refused: 0 is out of range [1, 5]");
  std::string text = "c";
  Description choices;
  choices.option("t", text, "").choices({"a", "b"});
  EXPECT_EQ(mistake([&] { choices.validate(); }),
            "option 't': its default is refused: 'c' is not one of a, b");
  auto schedule = static_cast<Schedule>(9);
  Description enumerators;
  enumerators.option("s", schedule, "").choices({{"constant", Schedule::kConstant}});
  EXPECT_EQ(mistake([&] { enumerators.validate(); }),
            "option 's': its default is refused: '' is not one of constant");
  std::vector<int> list = {1, 9};
  Description elements;
  elements.option("l", list, "").range(1, 5);
  EXPECT_EQ(mistake([&] { elements.validate(); }),
            "option 'l': its default is refused: 9 is out of range [1, 5]");
  double infinite = std::numeric_limits<double>::infinity();
  Description unbounded;
  unbounded.option("i", infinite, "");
  EXPECT_EQ(mistake([&] { unbounded.validate(); }),
            "option 'i': its default is refused: 'inf' is not a finite number");
}

TEST(Description, DoesNotAskForADefaultOfWhatIsRequired) {
  int number = 0;
  Description description;
  description.option("n", number, "").range(1, 5).required();
  EXPECT_NO_THROW(description.validate());
}

TEST(Description, RefusesRulesThatNoValueMeets) {
  int number = 0;
  std::string text;
  auto schedule = Schedule::kCosine;
  Description description;
  EXPECT_EQ(mistake([&] { description.option("a", number, "").range(5, 1); }),
            "option 'a': its range [5, 1] is empty");
  EXPECT_EQ(mistake([&] { description.option("b", text, "").choices({}); }),
            "option 'b': its choices are empty");
  EXPECT_EQ(mistake([&] {
              description.option("c", text, "").choices({"x", "x"});
            }),
            "option 'c': its choice 'x' is there twice");
  EXPECT_EQ(mistake([&] { description.option("d", text, "").choices({""}); }),
            "option 'd': its choice '' is without a name");
  Description unnamed;
  unnamed.option("e", schedule, "");
  EXPECT_EQ(mistake([&] { unnamed.validate(); }), "option 'e': an enum needs choices");
}

TEST(Description, RefusesTextsOfSeveralLines) {
  int number = 0;
  Description help;
  help.option("n", number, "one\ntwo");
  EXPECT_EQ(mistake([&] { help.validate(); }), "'n': a help text, unit or title is one line of UTF-8");
  Description unit;
  unit.option("n", number, "").unit("\xFF");
  EXPECT_EQ(mistake([&] { unit.validate(); }), "'n': a help text, unit or title is one line of UTF-8");
}

// What has no order has no range, and only texts and enums have choices: those mistakes do not compile.
template <class T>
concept HasRange = requires(Option<T> option, T bound) {
  option.range(bound, bound);
};
template <class T>
concept HasChoices = requires(Option<T> option) {
  option.choices({});
};
static_assert(HasRange<int> && HasRange<double> && HasRange<ByteSize> && HasRange<std::chrono::seconds>);
static_assert(!HasRange<bool> && !HasRange<std::string> && !HasRange<Schedule>);
static_assert(HasChoices<std::string> && HasChoices<Schedule>);
static_assert(!HasChoices<int> && !HasChoices<bool> && !HasChoices<std::filesystem::path>);
static_assert(Field<std::optional<int>> && Field<std::vector<std::string>>);
static_assert(!Field<char> && !Field<short> && !Field<long double> && !Field<const char*>);
static_assert(!Field<std::vector<std::optional<int>>> && !Field<std::chrono::duration<double>>);

}  // namespace
}  // namespace lockstep::config
