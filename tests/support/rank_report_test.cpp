#include "support/rank_report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

namespace lockstep::testing {
namespace {

using std::chrono::milliseconds;

RankConclusion returned(std::string value) {
  RankConclusion conclusion;
  conclusion.value = std::move(value);
  conclusion.elapsed = milliseconds(5);
  return conclusion;
}

TEST(RankReport, ComesBackFromItsMessages) {
  const std::string value("a\0b\xff", 4);
  const auto report = decode_report(encode(AssertionFailure{"a.cpp", 7, "first"}) +
                                    encode(AssertionFailure{"", 0, "second"}) + encode(returned(value)));
  ASSERT_EQ(report.failures.size(), 2U);
  EXPECT_EQ(report.failures[0].file, "a.cpp");
  EXPECT_EQ(report.failures[0].line, 7);
  EXPECT_EQ(report.failures[0].message, "first");
  EXPECT_EQ(report.failures[1].file, "");
  ASSERT_TRUE(report.conclusion.has_value());
  EXPECT_EQ(report.conclusion->value, value);
  EXPECT_EQ(report.conclusion->exception_text, "");
  EXPECT_FALSE(report.conclusion->error.has_value());
  EXPECT_EQ(report.conclusion->elapsed, milliseconds(5));
}

TEST(RankReport, TellsNoValueFromAnEmptyOne) {
  EXPECT_TRUE(decode_report(encode(returned(""))).conclusion->value.has_value());
  EXPECT_FALSE(decode_report(encode(RankConclusion{})).conclusion->value.has_value());
}

TEST(RankReport, LeavesFieldsOfAnErrorUnsetThatWereNot) {
  RankConclusion conclusion;
  conclusion.error = Error(ErrorCode::kTimeout, "late");
  const auto report = decode_report(encode(conclusion));
  const Error& error = *report.conclusion->error;
  EXPECT_STREQ(error.what(), "timeout: late");
  EXPECT_FALSE(error.rank().has_value());
  EXPECT_FALSE(error.peer().has_value());
  EXPECT_FALSE(error.sequence().has_value());
  EXPECT_FALSE(error.elapsed().has_value());
  EXPECT_EQ(error.cause(), nullptr);
}

TEST(RankReport, KeepsACauseWithItsOwnCause) {
  RankConclusion conclusion;
  conclusion.error = Error(ErrorCode::kSystem, "top")
                         .with_cause(std::make_exception_ptr(
                             Error(ErrorCode::kSystem, "middle")
                                 .with_cause(std::make_exception_ptr(std::runtime_error("bottom")))));
  const auto report = decode_report(encode(conclusion));
  EXPECT_STREQ(report.conclusion->error->what(), conclusion.error->what());
}

TEST(RankReport, EndsAtAMessageThatWasCutOff) {
  const std::string first = encode(AssertionFailure{"a.cpp", 7, "first"});
  const std::string both = first + encode(returned("value"));
  for (std::size_t length = 0; length <= both.size(); ++length) {
    const auto report = decode_report(std::string_view(both).substr(0, length));
    EXPECT_EQ(report.failures.size(), length >= first.size() ? 1U : 0U) << length;
    EXPECT_EQ(report.conclusion.has_value(), length == both.size()) << length;
  }
}

}  // namespace
}  // namespace lockstep::testing
