#include "convert/pickle_tape.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace lockstep::convert {

PickleTape::PickleTape(std::string name, std::span<const std::byte> bytes)
    : name_(std::move(name)), rest_(bytes), size_(bytes.size()) {}

Opcode PickleTape::next() {
  instruction_ = size_ - rest_.size();
  return static_cast<Opcode>(number<std::uint8_t>());
}

double PickleTape::big_endian_double() {
  return std::bit_cast<double>(__builtin_bswap64(number<std::uint64_t>()));
}

std::int64_t PickleTape::long_integer() {
  const std::size_t count = number<std::uint8_t>();
  if (count > sizeof(std::int64_t)) {
    throw refusal(
        fmt::format("an integer of {} bytes is refused: no size of a tensor has more than 8", count));
  }
  const auto bytes = take(count);
  const bool negative = count > 0 && (bytes.back() & std::byte{0x80}) != std::byte{0};
  std::int64_t value = negative ? -1 : 0;
  if (count > 0) {
    std::memcpy(&value, bytes.data(), count);
  }
  return value;
}

std::string_view PickleTape::text(std::size_t count) {
  const auto bytes = take(count);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view PickleTape::line() {
  const std::string_view rest(reinterpret_cast<const char*>(rest_.data()), rest_.size());
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) {
    throw corrupt("expected the end of a line, found the end of the pickle");
  }
  return text(end + 1).substr(0, end);
}

Error PickleTape::error(ErrorCode code, std::string_view what) const {
  return {code, fmt::format("{}: byte {}: {}", name_, instruction_, what)};
}

std::span<const std::byte> PickleTape::take(std::size_t count) {
  if (count > rest_.size()) {
    throw corrupt(fmt::format("expected {} more bytes, found {} and the end", count, rest_.size()));
  }
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

}  // namespace lockstep::convert
