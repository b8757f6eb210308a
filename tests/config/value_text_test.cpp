#include "config/value_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/config_description.h"

namespace lockstep::config {
namespace {

using namespace std::chrono_literals;

// A field on its own, read from texts.
template <class T>
class Reading {
 public:
  Reading() : option_(description_.option("x", field_, "")) {}

  Option<T>& option() { return option_; }

  // What the field holds after reading `text`; fails the test when it is refused.
  T value(std::string_view text) {
    const auto checked = parse_value(spec(), text);
    if (const auto* problem = std::get_if<Problem>(&checked)) {
      ADD_FAILURE() << problem->text;
      return {};
    }
    spec().set(std::get<Value>(checked));
    return field_;
  }

  std::string problem(std::string_view text) {
    const auto checked = parse_value(spec(), text);
    const auto* problem = std::get_if<Problem>(&checked);
    return problem != nullptr ? problem->text : "accepted as " + to_text(std::get<Value>(checked));
  }

  // The canonical text of what `text` means.
  std::string canonical(std::string_view text) {
    value(text);
    return to_text(spec().current());
  }

 private:
  const OptionSpec& spec() const { return description_.options().front(); }

  T field_{};
  Description description_;
  Option<T> option_;
};

enum class Color { kRed = 7, kGreen = -2 };

TEST(ValueText, ReadsBools) {
  Reading<bool> reading;
  for (const char* text : {"true", "yes", "on", "1"}) {
    EXPECT_TRUE(reading.value(text)) << text;
  }
  for (const char* text : {"false", "no", "off", "0"}) {
    EXPECT_FALSE(reading.value(text)) << text;
  }
  EXPECT_EQ(reading.problem("maybe"), "'maybe' is neither true nor false");
  EXPECT_EQ(reading.problem(""), "'' is neither true nor false");
}

TEST(ValueText, ReadsIntegersToTheEndsOfTheirTypes) {
  EXPECT_EQ(Reading<int>().value("1_000_000"), 1'000'000);
  EXPECT_EQ(Reading<int>().value("-2147483648"), std::numeric_limits<int>::min());
  EXPECT_EQ(Reading<std::int64_t>().value("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Reading<long long>().value("9223372036854775807"), std::numeric_limits<long long>::max());
  EXPECT_EQ(Reading<std::uint32_t>().value("4294967295"), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(Reading<std::uint64_t>().value("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Reading<unsigned>().value("-0"), 0U);
}

TEST(ValueText, RefusesIntegersThatDoNotFit) {
  EXPECT_EQ(Reading<int>().problem("2147483648"),
            "'2147483648' is out of range [-2147483648, 2147483647] of a 32-bit integer");
  EXPECT_EQ(Reading<int>().problem("-2147483649"),
            "'-2147483649' is out of range [-2147483648, 2147483647] of a 32-bit integer");
  EXPECT_EQ(Reading<std::int64_t>().problem("99999999999999999999"),
            "'99999999999999999999' is out of range [-9223372036854775808, 9223372036854775807] of a 64-bit "
            "integer");
  EXPECT_EQ(Reading<unsigned>().problem("-1"),
            "'-1' is out of range [0, 4294967295] of a 32-bit unsigned integer");
  EXPECT_EQ(Reading<int>().problem("1.5"), "'1.5' is not an integer");
  EXPECT_EQ(Reading<int>().problem("12 apples"), "'12 apples' is not an integer");
}

TEST(ValueText, ReadsFloats) {
  EXPECT_EQ(Reading<double>().value("1e-3"), 1e-3);
  EXPECT_EQ(Reading<float>().value("0.1"), 0.1F);
  EXPECT_EQ(Reading<float>().canonical("0.1"), "0.1");
  EXPECT_EQ(Reading<double>().problem("fast"), "'fast' is not a number");
  EXPECT_EQ(Reading<double>().problem("1e999"), "'1e999' does not fit a 64-bit float");
  EXPECT_EQ(Reading<float>().problem("1e39"), "'1e39' does not fit a 32-bit float");
}

TEST(ValueText, AcceptsInfinityOnlyWhereTheRangeHasItAndNanNever) {
  EXPECT_EQ(Reading<double>().problem("inf"), "'inf' is not a finite number");
  EXPECT_EQ(Reading<double>().problem("nan"), "'nan' is not a finite number");
  Reading<double> bounded;
  bounded.option().range(0.0, 1.0);
  EXPECT_EQ(bounded.problem("inf"), "inf is out of range [0, 1]");
  EXPECT_EQ(bounded.problem("nan"), "'nan' is not a finite number");
  Reading<double> open;
  open.option().range(0.0, std::numeric_limits<double>::infinity());
  EXPECT_EQ(open.value("inf"), std::numeric_limits<double>::infinity());
}

TEST(ValueText, HoldsRangesAtBothEnds) {
  Reading<int> reading;
  reading.option().unit("samples").range(1, 16);
  EXPECT_EQ(reading.value("1"), 1);
  EXPECT_EQ(reading.value("16"), 16);
  EXPECT_EQ(reading.problem("0"), "0 is out of range [1, 16] samples");
  EXPECT_EQ(reading.problem("17"), "17 is out of range [1, 16] samples");
  Reading<float> fraction;  // a bound that is no exact float must still admit itself
  fraction.option().range(0.1, 0.9);
  EXPECT_EQ(fraction.value("0.1"), 0.1F);
  EXPECT_EQ(fraction.value("0.9"), 0.9F);
}

TEST(ValueText, ReadsDurations) {
  EXPECT_EQ(Reading<std::chrono::milliseconds>().value("200ms"), 200ms);
  EXPECT_EQ(Reading<std::chrono::milliseconds>().value("1.5s"), 1500ms);
  EXPECT_EQ(Reading<std::chrono::seconds>().value("2min"), 120s);
  EXPECT_EQ(Reading<std::chrono::nanoseconds>().value("1h"), 3600s);
  EXPECT_EQ(Reading<std::chrono::microseconds>().value("-3us"), -3us);
  EXPECT_EQ(Reading<std::chrono::minutes>().value("2h"), 120min);
}

TEST(ValueText, RefusesDurationsThatAreNotClear) {
  Reading<std::chrono::milliseconds> reading;
  EXPECT_EQ(reading.problem("5000"), "'5000' has no unit; add ns, us, ms, s, min or h, as in '5000ms'");
  EXPECT_EQ(reading.problem("soon"),
            "'soon' is not a duration; write a number with ns, us, ms, s, min or h, as in '200ms'");
  EXPECT_EQ(reading.problem("5 days"),
            "'5 days' is not a duration; write a number with ns, us, ms, s, min or h, as in '200ms'");
  EXPECT_EQ(reading.problem("0.1ns"), "'0.1ns' is finer than a nanosecond");
  EXPECT_EQ(reading.problem("1.5us"), "'1.5us' is not a multiple of 1ms");
  EXPECT_EQ(reading.problem("2562048h"), "'2562048h' is beyond the longest duration, 2562047h");
  EXPECT_EQ(reading.problem("99999999999999999999h"),
            "'99999999999999999999h' is beyond the longest duration, 2562047h");
  reading.option().range(1ms, 24h);
  EXPECT_EQ(reading.problem("0s"), "0s is out of range [1ms, 24h]");
}

TEST(ValueText, WritesDurationsInTheLargestUnitThatDividesThem) {
  Reading<std::chrono::nanoseconds> reading;
  EXPECT_EQ(reading.canonical("5000ms"), "5s");
  EXPECT_EQ(reading.canonical("90s"), "90s");
  EXPECT_EQ(reading.canonical("3600s"), "1h");
  EXPECT_EQ(reading.canonical("1.5us"), "1500ns");
  EXPECT_EQ(reading.canonical("0h"), "0s");
  EXPECT_EQ(reading.canonical("-60s"), "-1min");
}

TEST(ValueText, ReadsAndWritesSizes) {
  Reading<ByteSize> reading;
  EXPECT_EQ(reading.value("25MiB"), ByteSize::mib(25));
  EXPECT_EQ(reading.value("4096"), ByteSize(4096));
  EXPECT_EQ(reading.value("4096B"), ByteSize(4096));
  EXPECT_EQ(reading.value("1.5GB"), ByteSize(1'500'000'000));
  EXPECT_EQ(reading.canonical("26214400"), "25MiB");
  EXPECT_EQ(reading.canonical("1KB"), "1000B");
  EXPECT_EQ(reading.canonical("1024GiB"), "1TiB");
  EXPECT_EQ(reading.canonical("0"), "0B");
  EXPECT_EQ(reading.problem("0.3KiB"), "'0.3KiB' is not a whole number of bytes");
  EXPECT_EQ(reading.problem("-1KiB"), "'-1KiB' is below zero, which no size can be");
  EXPECT_EQ(reading.problem("99999999999TiB"), "'99999999999TiB' is too large for a size");
  EXPECT_EQ(
      reading.problem("25 megs"),
      "'25 megs' is not a size; write bytes or a number with KiB, MiB, GiB, TiB, KB, MB, GB or TB, as in "
      "'64MiB'");
}

TEST(ValueText, ReadsEnumeratorsByName) {
  Reading<Color> reading;
  reading.option().choices({{"red", Color::kRed}, {"green", Color::kGreen}});
  EXPECT_EQ(reading.value("red"), Color::kRed);
  EXPECT_EQ(reading.value("green"), Color::kGreen);
  EXPECT_EQ(reading.canonical("green"), "green");
  EXPECT_EQ(reading.problem("greem"), "'greem' is not one of red, green; did you mean 'green'?");
  EXPECT_EQ(reading.problem("7"), "'7' is not one of red, green");
}

TEST(ValueText, HoldsTextsToTheirChoices) {
  Reading<std::string> reading;
  reading.option().choices({"auto", "shm"});
  EXPECT_EQ(reading.value("shm"), "shm");
  EXPECT_EQ(reading.problem("tcp"), "'tcp' is not one of auto, shm");
}

TEST(ValueText, TakesTextsAsTheyAreWhenTheyAreUtf8) {
  EXPECT_EQ(Reading<std::string>().value(" a b "), " a b ");
  EXPECT_EQ(Reading<std::string>().value(""), "");
  EXPECT_EQ(Reading<std::filesystem::path>().value("/data/\xC3\xA4"), "/data/\xC3\xA4");
  EXPECT_EQ(Reading<std::string>().problem("a\xFF"), "'a\\xff' is not valid UTF-8");
}

TEST(ValueText, ReadsOptionals) {
  Reading<std::optional<int>> reading;
  reading.option().range(1, 5);
  EXPECT_EQ(reading.value("3"), 3);
  EXPECT_EQ(reading.value("none"), std::nullopt);
  EXPECT_EQ(reading.canonical("none"), "none");
  EXPECT_EQ(reading.problem("9"), "9 is out of range [1, 5]");
  EXPECT_EQ(reading.problem(""), "'' is not an integer");
}

TEST(ValueText, ReadsLists) {
  Reading<std::vector<int>> reading;
  reading.option().range(0, 9);
  EXPECT_EQ(reading.value("1,2,3"), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(reading.value(""), std::vector<int>{});
  EXPECT_EQ(reading.canonical("1,0x2"), "1,2");
  EXPECT_EQ(reading.problem("1,10"), "10 is out of range [0, 9]");
  EXPECT_EQ(reading.problem("1,,2"), "'' is not an integer");
  EXPECT_EQ(reading.problem("1,"), "'' is not an integer");
  EXPECT_EQ((Reading<std::vector<std::string>>().value("a,,b")), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(Reading<std::vector<bool>>().value("yes,no"), (std::vector<bool>{true, false}));
}

TEST(ValueText, CutsDurationsThatNanosecondsCannotHold) {
  std::chrono::seconds forever = std::chrono::seconds::max();
  EXPECT_EQ(to_text(to_value(forever)), "9223372036s");
  forever = std::chrono::seconds::min();
  EXPECT_EQ(to_text(to_value(forever)), "-9223372036s");
}

}  // namespace
}  // namespace lockstep::config
