#include "config/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/near_miss.h"
#include "config/number_text.h"
#include "config/printable.h"
#include "config/quantity.h"

namespace lockstep::config {
namespace {

template <class T>
Checked<Scalar> as_scalar(const Checked<T>& checked) {
  const auto* problem = std::get_if<Problem>(&checked);
  return problem != nullptr ? Checked<Scalar>(*problem) : Scalar(std::get<T>(checked));
}

Checked<Scalar> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"true", "yes", "on", "1"}) {
    if (text == yes) {
      return Scalar(true);
    }
  }
  for (const std::string_view no : {"false", "no", "off", "0"}) {
    if (text == no) {
      return Scalar(false);
    }
  }
  return Problem{in_quotes(text) + " is neither true nor false"};
}

Checked<Scalar> parse_signed(const Type& type, const IntegerText& integer, std::string_view text) {
  const std::uint64_t highest = (std::uint64_t{1} << (type.bits - 1)) - 1;
  if (integer.overflow || integer.magnitude > highest + (integer.negative ? 1 : 0)) {
    return Problem{fmt::format("{} is out of range [-{}, {}] of a {}-bit integer", in_quotes(text),
                               highest + 1, highest, type.bits)};
  }
  const std::uint64_t bits = integer.negative ? 0 - integer.magnitude : integer.magnitude;
  return Scalar(static_cast<std::int64_t>(bits));
}

Checked<Scalar> parse_unsigned(const Type& type, const IntegerText& integer, std::string_view text) {
  const std::uint64_t highest = std::numeric_limits<std::uint64_t>::max() >> (64 - type.bits);
  const bool below_zero = integer.negative && integer.magnitude != 0;
  if (integer.overflow || below_zero || integer.magnitude > highest) {
    return Problem{fmt::format("{} is out of range [0, {}] of a {}-bit unsigned integer", in_quotes(text),
                               highest, type.bits)};
  }
  return Scalar(integer.magnitude);
}

Checked<Scalar> parse_integer(const Type& type, std::string_view text) {
  const auto integer = read_integer(text);
  if (!integer) {
    return Problem{in_quotes(text) + " is not an integer"};
  }
  return type.is_signed ? parse_signed(type, *integer, text) : parse_unsigned(type, *integer, text);
}

template <class T>
Checked<Scalar> parse_float(const Type& type, std::string_view text) {
  const auto number = read_float<T>(text);
  if (const auto* mistake = std::get_if<FloatMistake>(&number)) {
    return Problem{*mistake == FloatMistake::kMalformed
                       ? in_quotes(text) + " is not a number"
                       : fmt::format("{} does not fit a {}-bit float", in_quotes(text), type.bits)};
  }
  return Scalar(std::get<T>(number));
}

const Choice* find_choice(const OptionSpec& spec, std::string_view name) {
  const auto found = std::find_if(spec.choices.begin(), spec.choices.end(),
                                  [name](const Choice& choice) { return choice.name == name; });
  return found != spec.choices.end() ? &*found : nullptr;
}

std::string not_a_choice(const OptionSpec& spec, std::string_view text) {
  std::vector<std::string> names;
  for (const Choice& choice : spec.choices) {
    names.push_back(choice.name);
  }
  return fmt::format("{} is not one of {}{}", in_quotes(text), choices_text(spec),
                     suggestion(nearest_name(text, names)));
}

// Every value must survive being written to a file and a dump, and those are UTF-8.
Checked<Scalar> parse_text(std::string_view text) {
  if (!is_utf8(text)) {
    return Problem{in_quotes(text) + " is not valid UTF-8"};
  }
  return Scalar(std::string(text));
}

Checked<Scalar> parse_kind(const OptionSpec& spec, std::string_view text) {
  switch (spec.type.kind) {
    case Kind::kBool:
      return parse_bool(text);
    case Kind::kInteger:
      return parse_integer(spec.type, text);
    case Kind::kFloat:
      return spec.type.bits == 32 ? parse_float<float>(spec.type, text)
                                  : parse_float<double>(spec.type, text);
    case Kind::kDuration:
      return as_scalar(parse_duration(text, spec.type.tick));
    case Kind::kByteSize:
      return as_scalar(parse_byte_size(text));
    case Kind::kEnum: {
      const Choice* choice = find_choice(spec, text);
      return choice != nullptr ? Checked<Scalar>(*choice) : Problem{not_a_choice(spec, text)};
    }
    case Kind::kText:
    case Kind::kPath:
      break;
  }
  return parse_text(text);
}

bool is_finite_or_allowed(const OptionSpec& spec, const Scalar& scalar) {
  return std::visit(
      [&spec](const auto& value) {
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
          return std::isfinite(value) || (std::isinf(value) && spec.range);
        } else {
          return true;
        }
      },
      scalar);
}

Checked<Value> parse_list(const OptionSpec& spec, std::string_view text) {
  std::vector<Scalar> list;
  bool more = !text.empty();
  while (more) {
    const std::size_t comma = text.find(',');
    auto element = parse_scalar(spec, text.substr(0, comma));
    if (auto* problem = std::get_if<Problem>(&element)) {
      return std::move(*problem);
    }
    list.push_back(std::move(std::get<Scalar>(element)));
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return Value(std::move(list));
}

}  // namespace

std::string to_text(const Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Choice>) {
          return value.name;
        } else if constexpr (std::is_same_v<T, std::chrono::nanoseconds> || std::is_same_v<T, ByteSize>) {
          return to_text(value);
        } else {
          return fmt::format("{}", value);
        }
      },
      scalar);
}

std::string to_text(const Value& value) {
  if (const auto* scalar = std::get_if<Scalar>(&value)) {
    return to_text(*scalar);
  }
  if (const auto* list = std::get_if<std::vector<Scalar>>(&value)) {
    std::string text;
    for (const Scalar& scalar : *list) {
      text += (&scalar == list->data() ? "" : ",") + to_text(scalar);
    }
    return text;
  }
  return std::string(kNoneText);
}

Checked<Scalar> parse_scalar(const OptionSpec& spec, std::string_view text) {
  auto parsed = parse_kind(spec, text);
  if (const auto* scalar = std::get_if<Scalar>(&parsed)) {
    if (std::string reason = refusal(spec, *scalar); !reason.empty()) {
      return Problem{std::move(reason)};
    }
  }
  return parsed;
}

Checked<Value> parse_value(const OptionSpec& spec, std::string_view text) {
  if (spec.type.arity == Arity::kList) {
    return parse_list(spec, text);
  }
  if (spec.type.arity == Arity::kOptional && text == kNoneText) {
    return Checked<Value>(std::in_place_type<Value>);
  }
  auto parsed = parse_scalar(spec, text);
  if (auto* problem = std::get_if<Problem>(&parsed)) {
    return std::move(*problem);
  }
  return Value(std::move(std::get<Scalar>(parsed)));
}

std::string refusal(const OptionSpec& spec, const Scalar& scalar) {
  if (!is_finite_or_allowed(spec, scalar)) {
    return in_quotes(to_text(scalar)) + " is not a finite number";
  }
  if (spec.range && (scalar < spec.range->low || scalar > spec.range->high)) {
    return fmt::format("{} is out of range {}", to_text(scalar), range_text(spec));
  }
  if (!spec.choices.empty() && find_choice(spec, to_text(scalar)) == nullptr) {
    return not_a_choice(spec, to_text(scalar));
  }
  return "";
}

std::string range_text(const OptionSpec& spec) {
  return fmt::format("[{}, {}]{}{}", to_text(spec.range->low), to_text(spec.range->high),
                     spec.unit.empty() ? "" : " ", spec.unit);
}

std::string choices_text(const OptionSpec& spec, std::string_view separator) {
  std::string text;
  for (const Choice& choice : spec.choices) {
    text += (text.empty() ? "" : std::string(separator)) + choice.name;
  }
  return text;
}

}  // namespace lockstep::config
