#include "config/settings_toml.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "config/printable.h"
#include "config/value_text.h"

namespace lockstep::config {
namespace {

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      literal += fmt::format("\\u{:04X}", byte);
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

// TOML distinguishes floats from integers by their point or exponent.
std::string float_literal(const std::string& text) {
  const bool looks_like_integer = text.find_first_of(".en") == std::string::npos;
  return looks_like_integer ? text + ".0" : text;
}

std::string literal(const Scalar& scalar) {
  return std::visit(
      [&scalar](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_floating_point_v<T>) {
          return float_literal(to_text(scalar));
        } else if constexpr (std::is_arithmetic_v<T>) {
          return to_text(scalar);
        } else {
          return string_literal(to_text(scalar));
        }
      },
      scalar);
}

std::string literal(const Value& value) {
  if (const auto* scalar = std::get_if<Scalar>(&value)) {
    return literal(*scalar);
  }
  if (const auto* list = std::get_if<std::vector<Scalar>>(&value)) {
    std::vector<std::string> elements;
    for (const Scalar& scalar : *list) {
      elements.push_back(literal(scalar));
    }
    return fmt::format("[{}]", fmt::join(elements, ", "));
  }
  return string_literal(kNoneText);
}

// "lr" of "optim.lr"
std::string_view key_of(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

std::string comment(const OptionSpec& option, const Setting& setting) {
  const std::string unit = option.unit.empty() ? "" : fmt::format(", in {}", option.unit);
  return fmt::format("# {}{} ({})\n", option.help, unit, setting.origin());
}

}  // namespace

// Group by group: in TOML the keys of a table must precede its subtables.
std::string to_toml(const Description& description, const Settings& settings) {
  std::string text = fmt::format("# The options of {} as they were resolved.\n", settings.program);
  const auto& groups = description.groups();
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].name.empty()) {
      text += fmt::format("\n# {}\n[{}]\n", groups[group].title, groups[group].name);
    }
    for (std::size_t i = 0; i < settings.values.size(); ++i) {
      const OptionSpec& option = description.options()[i];
      const Setting& setting = settings.values[i];
      if (option.group == group) {
        text += fmt::format("\n{}{} = {}\n", comment(option, setting), key_of(setting.name),
                            literal(setting.value));
      }
    }
  }
  return text;
}

}  // namespace lockstep::config
