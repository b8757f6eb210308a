#include "job/error_record.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

ErrorRecord full_record() {
  return {.message = "peer lost: gone",
          .details = "peer lost: gone\n\nwhere it was thrown:\n#0 main",
          .time = 1'763'270'000'123'456'789ns,
          .code = "peer lost",
          .rank = 0,
          .peer = 3};
}

TEST(ErrorRecord, ComesBackAsItWas) {
  EXPECT_EQ(parse_error_record(to_json(full_record())), full_record());
}

TEST(ErrorRecord, ComesBackWithoutItsOptionalFields) {
  const ErrorRecord record{.message = "bad", .details = "", .time = 5ns};
  EXPECT_EQ(parse_error_record(to_json(record)), record);
}

TEST(ErrorRecord, HasTheFormThatTorchelasticReads) {
  const std::string text = to_json({.message = "bad", .details = "stack", .time = 7s});
  EXPECT_EQ(text, R"({
  "message": {
    "extraInfo": {
      "lockstep": {
        "timestamp_ns": 7000000000
      },
      "py_callstack": "stack",
      "timestamp": "7"
    },
    "message": "bad"
  }
})");
}

TEST(ErrorRecord, SurvivesTextThatIsNoUtf8) {
  const auto record = parse_error_record(to_json({.message = "\xff\xfe", .details = "", .time = 1ns}));
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->message.empty());
}

TEST(ErrorRecord, IsReadFromWhatAPythonWorkerWrites) {
  const auto record = parse_error_record(
      R"({"message": {"message": "ValueError: x", "extraInfo": {"py_callstack": "Traceback", "timestamp": "42"}}})");
  ASSERT_TRUE(record);
  EXPECT_EQ(*record, (ErrorRecord{.message = "ValueError: x", .details = "Traceback", .time = 42s}));
}

TEST(ErrorRecord, IsReadFromTheShortForm) {
  const auto record = parse_error_record(R"({"message": "killed", "timestamp": 42})");
  ASSERT_TRUE(record);
  EXPECT_EQ(*record, (ErrorRecord{.message = "killed", .details = "", .time = 42s}));
}

TEST(ErrorRecord, HasNoTimeWhenThatMakesNoSense) {
  for (const char* time : {"\"soon\"", "-5", "1e300", "null", "[]", "99999999999999999999"}) {
    const auto record = parse_error_record(std::string(R"({"message": "x", "timestamp": )") + time + "}");
    ASSERT_TRUE(record) << time;
    EXPECT_EQ(record->time, 0ns) << time;
  }
}

TEST(ErrorRecord, IsNothingInOtherFiles) {
  for (const char* text : {"", "{", "[]", "{}", "3", R"({"message": 3})", R"({"note": "x"})", "\xff"}) {
    EXPECT_FALSE(parse_error_record(text)) << text;
  }
}

TEST(ErrorRecord, IsAConsequenceWhenItBlamesAnotherRank) {
  EXPECT_TRUE(full_record().is_consequence());
  EXPECT_TRUE((ErrorRecord{.message = "", .details = "", .code = "aborted"}.is_consequence()));
  EXPECT_FALSE((ErrorRecord{.message = "", .details = "", .code = "timeout"}.is_consequence()));
  EXPECT_FALSE((ErrorRecord{.message = "", .details = ""}.is_consequence()));
}

}  // namespace
}  // namespace lockstep
