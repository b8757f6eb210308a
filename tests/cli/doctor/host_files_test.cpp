#include "cli/doctor/host_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/fake_host.h"

namespace lockstep::doctor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostFiles, ReadsBelowItsRoot) {
  FakeHost host;
  host.add("/proc/version", "Linux\n");
  EXPECT_EQ(host.files().read("/proc/version"), "Linux\n");
  EXPECT_EQ(host.files().read_word("/proc/version"), "Linux");
  EXPECT_TRUE(host.files().exists("/proc/version"));
}

TEST(HostFiles, ReadsTheRealMachineByDefault) {
  EXPECT_NE(HostFiles().read_word("/proc/self/stat"), "");
}

TEST(HostFiles, SaysNothingAboutAMissingFile) {
  const FakeHost host;
  EXPECT_EQ(host.files().read("/proc/version"), std::nullopt);
  EXPECT_EQ(host.files().read_word("/proc/version"), "");
  EXPECT_FALSE(host.files().exists("/proc/version"));
}

TEST(HostFiles, SaysNothingAboutAFolder) {
  FakeHost host;
  host.add("/proc/self/stat", "1");
  EXPECT_EQ(host.files().read("/proc/self"), std::nullopt);
}

TEST(HostFiles, CutsAnEndlessFile) {
  FakeHost host;
  host.add("/proc/long", std::string((1 << 20) + 5, 'x'));
  EXPECT_EQ(host.files().read("/proc/long")->size(), std::size_t{1} << 20);
}

TEST(Trimmed, TakesWhiteSpaceFromBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Split, KeepsEmptyPartsButNotATrailingOne) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("a,", ','), ElementsAre("a"));
  EXPECT_THAT(split(",a", ','), ElementsAre("", "a"));
  EXPECT_THAT(split("", ','), IsEmpty());
}

TEST(ParseNumber, TakesDigitsOnly) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* garbage : {"", "max", "-1", "12x", " 12", "1.5", "18446744073709551616"}) {
    EXPECT_EQ(parse_number(garbage), std::nullopt) << garbage;
  }
}

TEST(LineValue, FindsTheFirstLineOfAKey) {
  constexpr const char* kText = "MemTotal:  10 kB\nMemTotalX: 20 kB\nMemTotal: 30 kB\nbroken line\n";
  EXPECT_EQ(line_value(kText, "MemTotal", ':'), "10 kB");
  EXPECT_EQ(line_value(kText, "MemTotalX", ':'), "20 kB");
  EXPECT_EQ(line_value(kText, "Mem", ':'), std::nullopt);
  EXPECT_EQ(line_value("", "Mem", ':'), std::nullopt);
}

}  // namespace
}  // namespace lockstep::doctor
