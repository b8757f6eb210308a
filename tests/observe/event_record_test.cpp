#include "observe/event_record.h"

#include <gtest/gtest.h>

#include <string>

#include "observe/crc32c.h"

namespace lockstep {
namespace {

using namespace std::string_literals;

// The vectors of RFC 3720, appendix B.4, and the customary one.
TEST(Crc32c, AgreesWithThePublishedValues) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

TEST(Crc32c, IsRotatedAndMovedWhenMasked) {
  EXPECT_EQ(masked_crc32c(""), 0xA282EAD8U);
  EXPECT_EQ(masked_crc32c("123456789"), (0xE3069283U >> 15 | 0xE3069283U << 17) + 0xA282EAD8U);
}

TEST(TfRecord, FramesItsBytes) {
  const std::string record = tfrecord("abc");
  ASSERT_EQ(record.size(), 8U + 4 + 3 + 4);
  EXPECT_EQ(record.substr(0, 8), "\x03\0\0\0\0\0\0\0"s);
  EXPECT_EQ(record.substr(12, 3), "abc");
}

std::string message_in(const std::string& record) {
  return record.substr(12, record.size() - 16);
}

TEST(Event, OpensAFileWithItsVersion) {
  EXPECT_EQ(message_in(event_file_start(1.0)),
            "\x09\0\0\0\0\0\0\xF0\x3F\x1A\x0D"
            "brain.Event:2"s);
}

TEST(Event, HoldsTheValuesOfARow) {
  const MetricRow row{.phase = "train", .step = 300, .values = {{"loss", 0.5}}};
  EXPECT_EQ(message_in(event_of_row(1.0, row)),
            "\x09\0\0\0\0\0\0\xF0\x3F"  // wall_time: 1.0
            "\x10\xAC\x02"              // step: 300
            "\x2A\x13"                  // summary, 19 bytes
            "\x0A\x11"                  // its one value, 17 bytes
            "\x0A\x0A"
            "train/loss"         // tag
            "\x15\0\0\0\x3F"s);  // simple_value: 0.5
}

TEST(Event, OfALongNameHasALengthOfTwoBytes) {
  const MetricRow row{.phase = "t", .values = {{std::string(300, 'n'), 0}}};
  EXPECT_EQ(message_in(event_of_row(1.0, row)).substr(11, 3), "\x2A\xB9\x02"s);
}

TEST(Event, SpellsOutBytesThatAreNoUtf8) {
  const MetricRow row{.phase = "t", .values = {{"\xFF", 0}}};
  EXPECT_NE(event_of_row(0, row).find("t/\\xff"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
