// Settings as JSON, and the comparison of two JSON texts.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "config/json_diff.h"
#include "lockstep/config_settings.h"
#include "lockstep/error.h"

namespace lockstep::config {
namespace {

constexpr int kFormat = 1;

// JSON has no infinities, and people expect 0.1 for 0.1f, not 0.10000000149.
template <class T>
Json float_to_json(T number) {
  const std::string text = fmt::format("{}", number);
  if (!std::isfinite(number)) {
    return text;
  }
  double same_digits = 0;
  std::from_chars(text.data(), text.data() + text.size(), same_digits);
  return same_digits;
}

Json scalar_to_json(const Scalar& scalar) {
  return std::visit(
      [&scalar](const auto& value) -> Json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_floating_point_v<T>) {
          return float_to_json(value);
        } else if constexpr (std::is_arithmetic_v<T>) {
          return value;
        } else {
          return to_text(scalar);
        }
      },
      scalar);
}

Json value_to_json(const Value& value) {
  if (const auto* scalar = std::get_if<Scalar>(&value)) {
    return scalar_to_json(*scalar);
  }
  if (const auto* list = std::get_if<std::vector<Scalar>>(&value)) {
    Json array = Json::array();
    for (const Scalar& scalar : *list) {
      array.push_back(scalar_to_json(scalar));
    }
    return array;
  }
  return nullptr;
}

// values["optim"]["lr"] for "optim.lr"
Json& place_of(Json& values, std::string_view name) {
  Json* place = &values;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    place = &(*place)[std::string(name.substr(0, dot))];
    name.remove_prefix(dot + 1);
  }
  return (*place)[std::string(name)];
}

// The values in a text made by to_json().
Json values_in(std::string_view text, std::string_view side) {
  const std::string what = fmt::format("the {} configuration", side);
  Json json = parse_json(what, text);
  if (!json.is_object() || !json.contains("format") || !json.contains("values") ||
      !json["values"].is_object()) {
    throw Error(ErrorCode::kCorrupt,
                what + R"( is JSON, but not of a configuration: "format" or "values" is missing)");
  }
  if (json["format"] != kFormat) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{} has format {}, and this version reads format {}", what,
                                                 to_literal(json["format"]), kFormat));
  }
  return std::move(json["values"]);
}

}  // namespace

std::string to_json(const Settings& settings) {
  Json values = Json::object();
  Json sources = Json::object();
  for (const Setting& setting : settings.values) {
    place_of(values, setting.name) = value_to_json(setting.value);
    sources[setting.name] = setting.origin();
  }
  const Json json = {
      {"format", kFormat}, {"program", settings.program}, {"values", values}, {"sources", sources}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Difference> diff(std::string_view json_a, std::string_view json_b) {
  return diff_json(values_in(json_a, "first"), values_in(json_b, "second"));
}

std::string to_text(const std::vector<Difference>& differences) {
  std::string text;
  for (const auto& [name, a, b] : differences) {
    text += fmt::format("{}: {} -> {}\n", name, a.value_or("(absent)"), b.value_or("(absent)"));
  }
  return text;
}

}  // namespace lockstep::config
