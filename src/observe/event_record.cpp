#include "observe/event_record.h"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "config/printable.h"
#include "observe/crc32c.h"

namespace lockstep {
namespace {

// The field numbers in TensorFlow's event.proto and summary.proto.
constexpr std::uint32_t kEventWallTime = 1;
constexpr std::uint32_t kEventStep = 2;
constexpr std::uint32_t kEventFileVersion = 3;
constexpr std::uint32_t kEventSummary = 5;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kValueTag = 1;
constexpr std::uint32_t kValueSimpleValue = 2;

enum class WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::string little_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(number >> (8 * i) & 0xFF);
  }
  return text;
}

// Seven bits per byte, the lowest first; the highest bit says that more follow.
std::string varint(std::uint64_t number) {
  std::string text;
  while (number >= 0x80) {
    text += static_cast<char>((number & 0x7F) | 0x80);
    number >>= 7;
  }
  return text + static_cast<char>(number);
}

std::string key(std::uint32_t field, WireType type) {
  return varint(field << 3 | static_cast<std::uint32_t>(type));
}

std::string double_field(std::uint32_t field, double value) {
  return key(field, WireType::kFixed64) + little_endian(std::bit_cast<std::uint64_t>(value), 8);
}

std::string float_field(std::uint32_t field, float value) {
  return key(field, WireType::kFixed32) + little_endian(std::bit_cast<std::uint32_t>(value), 4);
}

std::string integer_field(std::uint32_t field, std::int64_t value) {
  return key(field, WireType::kVarint) + varint(static_cast<std::uint64_t>(value));
}

std::string bytes_field(std::uint32_t field, std::string_view bytes) {
  return (key(field, WireType::kBytes) + varint(bytes.size())).append(bytes);
}

}  // namespace

std::string tfrecord(std::string_view bytes) {
  const std::string length = little_endian(bytes.size(), 8);
  std::string record = length + little_endian(masked_crc32c(length), 4);
  record += bytes;
  return record + little_endian(masked_crc32c(bytes), 4);
}

std::string event_file_start(double wall_time) {
  return tfrecord(double_field(kEventWallTime, wall_time) + bytes_field(kEventFileVersion, "brain.Event:2"));
}

std::string event_of_row(double wall_time, const MetricRow& row) {
  std::string summary;
  for (const MetricValue& value : row.values) {
    const std::string tag = config::printable(row.phase + "/" + value.name);
    summary +=
        bytes_field(kSummaryValue, bytes_field(kValueTag, tag) +
                                       float_field(kValueSimpleValue, static_cast<float>(value.value)));
  }
  return tfrecord(double_field(kEventWallTime, wall_time) + integer_field(kEventStep, row.step) +
                  bytes_field(kEventSummary, summary));
}

}  // namespace lockstep
