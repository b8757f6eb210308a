#include "config/json_diff.h"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::config {
namespace {

constexpr int kDeepestNesting = 64;  // comparing and printing recurse

using Leaves = std::vector<std::pair<std::string, const Json*>>;

// The leaves by their full names, in order.
void flatten(const Json& json, const std::string& name, Leaves& leaves) {
  if (!json.is_object() || (json.empty() && !name.empty())) {
    leaves.emplace_back(name, &json);
    return;
  }
  for (const auto& [key, value] : json.items()) {
    flatten(value, name.empty() ? key : fmt::format("{}.{}", name, key), leaves);
  }
}

}  // namespace

Json parse_json(std::string_view what, std::string_view text) {
  auto bound_depth = [what](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    if (depth > kDeepestNesting) {
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("{} is nested deeper than {} levels", what, kDeepestNesting));
    }
    return true;
  };
  try {
    return Json::parse(text, bound_depth);
  } catch (const Json::exception&) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{} is not valid JSON", what))
        .with_cause(std::current_exception());
  }
}

std::string to_literal(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<Difference> diff_json(const Json& a, const Json& b) {
  Leaves leaves_a;
  Leaves leaves_b;
  flatten(a, "", leaves_a);
  flatten(b, "", leaves_b);
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

}  // namespace lockstep::config
