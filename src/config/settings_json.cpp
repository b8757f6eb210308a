// Settings as JSON, and the comparison of two such texts. The only user of the JSON library in this layer.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "lockstep/config_settings.h"
#include "lockstep/error.h"

namespace lockstep::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr int kDeepestNesting = 64;  // comparing and printing recurse

// JSON has no infinities, and 0.1f is 0.1 to people and not 0.10000000149.
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

std::string to_literal(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse(std::string_view text, std::string_view side) {
  auto refuse = [side](std::string_view reason) {
    return Error(ErrorCode::kCorrupt, fmt::format("the {} configuration {}", side, reason));
  };
  auto bound_depth = [&refuse](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    if (depth > kDeepestNesting) {
      throw refuse(fmt::format("is nested deeper than {} levels", kDeepestNesting));
    }
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, bound_depth);
  } catch (const Json::exception&) {
    throw refuse("is not valid JSON").with_cause(std::current_exception());
  }
  if (!json.is_object() || !json.contains("format") || !json.contains("values") ||
      !json["values"].is_object()) {
    throw refuse(R"(is JSON, but not of a configuration: "format" or "values" is missing)");
  }
  if (json["format"] != kFormat) {
    throw refuse(
        fmt::format("has format {}, and this version reads format {}", to_literal(json["format"]), kFormat));
  }
  return json;
}

// The leaves by their full names, in order.
void flatten(const Json& object, const std::string& prefix,
             std::vector<std::pair<std::string, const Json*>>& leaves) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", leaves);
    } else {
      leaves.emplace_back(prefix + key, &value);
    }
  }
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
  const Json a = parse(json_a, "first");
  const Json b = parse(json_b, "second");
  std::vector<std::pair<std::string, const Json*>> leaves_a;
  std::vector<std::pair<std::string, const Json*>> leaves_b;
  flatten(a["values"], "", leaves_a);
  flatten(b["values"], "", leaves_b);
  std::map<std::string, const Json*> only_b(leaves_b.begin(), leaves_b.end());
  std::vector<Difference> differences;
  for (const auto& [name, value] : leaves_a) {
    const auto other = only_b.find(name);
    if (other == only_b.end()) {
      differences.push_back({name, to_literal(*value), std::nullopt});
      continue;
    }
    if (*value != *other->second) {
      differences.push_back({name, to_literal(*value), to_literal(*other->second)});
    }
    only_b.erase(other);
  }
  for (const auto& [name, value] : leaves_b) {
    if (only_b.contains(name)) {
      differences.push_back({name, std::nullopt, to_literal(*value)});
    }
  }
  return differences;
}

std::string to_text(const std::vector<Difference>& differences) {
  std::string text;
  for (const auto& [name, a, b] : differences) {
    text += fmt::format("{}: {} -> {}\n", name, a.value_or("(absent)"), b.value_or("(absent)"));
  }
  return text;
}

}  // namespace lockstep::config
