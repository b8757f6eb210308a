#include "config/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "config/number_text.h"
#include "config/printable.h"

namespace lockstep::config {
namespace {

using std::chrono::nanoseconds;

constexpr std::array<Unit, 6> kDurationUnits = {{{"h", 3'600'000'000'000},
                                                 {"min", 60'000'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"ms", 1'000'000},
                                                 {"us", 1'000},
                                                 {"ns", 1}}};

constexpr std::array<Unit, 10> kSizeUnits = {{{"TiB", 1ULL << 40},
                                              {"GiB", 1ULL << 30},
                                              {"MiB", 1ULL << 20},
                                              {"KiB", 1ULL << 10},
                                              {"B", 1},
                                              {"", 1},
                                              {"KB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000},
                                              {"TB", 1'000'000'000'000}}};

// "5s" from 5'000'000'000: the first unit that leaves no remainder. Zero takes `zero_unit`.
std::string scaled_text(std::uint64_t amount, std::span<const Unit> units, std::string_view zero_unit) {
  if (amount == 0) {
    return fmt::format("0{}", zero_unit);
  }
  const auto unit =
      std::find_if(units.begin(), units.end(), [amount](const Unit& u) { return amount % u.factor == 0; });
  return fmt::format("{}{}", amount / unit->factor, unit->suffix);
}

std::string duration_mistake(ScaledMistake mistake, std::string_view text) {
  switch (mistake) {
    case ScaledMistake::kMalformed:
      break;
    case ScaledMistake::kUnitMissing:
      return fmt::format("{} has no unit; add ns, us, ms, s, min or h, as in '{}ms'", in_quotes(text),
                         printable(text));
    case ScaledMistake::kNotWhole:
      return in_quotes(text) + " is finer than a nanosecond";
    case ScaledMistake::kTooLarge:
      return in_quotes(text) + " is beyond the longest duration, 2562047h";
  }
  return in_quotes(text) + " is not a duration; write a number with ns, us, ms, s, min or h, as in '200ms'";
}

std::string size_mistake(ScaledMistake mistake, std::string_view text) {
  switch (mistake) {
    case ScaledMistake::kMalformed:
    case ScaledMistake::kUnitMissing:
      break;
    case ScaledMistake::kNotWhole:
      return in_quotes(text) + " is not a whole number of bytes";
    case ScaledMistake::kTooLarge:
      return in_quotes(text) + " is too large for a size";
  }
  return in_quotes(text) +
         " is not a size; write bytes or a number with KiB, MiB, GiB, TiB, KB, MB, GB or TB, as in '64MiB'";
}

}  // namespace

std::string to_text(nanoseconds duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  const bool negative = duration < nanoseconds::zero();
  return (negative ? "-" : "") + scaled_text(negative ? 0 - count : count, kDurationUnits, "s");
}

std::string to_text(ByteSize size) {
  return scaled_text(size.bytes(), kSizeUnits, "B");
}

Checked<nanoseconds> parse_duration(std::string_view text, nanoseconds tick) {
  const auto scaled = read_scaled(text, kDurationUnits);
  if (const auto* mistake = std::get_if<ScaledMistake>(&scaled)) {
    return Problem{duration_mistake(*mistake, text)};
  }
  const auto& [negative, amount] = std::get<ScaledText>(scaled);
  if (amount > static_cast<std::uint64_t>(nanoseconds::max().count())) {
    return Problem{duration_mistake(ScaledMistake::kTooLarge, text)};
  }
  const auto magnitude = nanoseconds(static_cast<std::int64_t>(amount));
  if (magnitude % tick != nanoseconds::zero()) {
    return Problem{fmt::format("{} is not a multiple of {}", in_quotes(text), to_text(tick))};
  }
  return negative ? -magnitude : magnitude;
}

Checked<ByteSize> parse_byte_size(std::string_view text) {
  const auto scaled = read_scaled(text, kSizeUnits);
  if (const auto* mistake = std::get_if<ScaledMistake>(&scaled)) {
    return Problem{size_mistake(*mistake, text)};
  }
  const auto& [negative, amount] = std::get<ScaledText>(scaled);
  if (negative && amount != 0) {
    return Problem{in_quotes(text) + " is below zero, which no size can be"};
  }
  return ByteSize(amount);
}

}  // namespace lockstep::config
