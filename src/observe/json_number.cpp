#include "observe/json_number.h"

#include <cmath>
#include <limits>

namespace lockstep {

nlohmann::ordered_json number_to_json(double number) {
  if (std::isfinite(number)) {
    return number;
  }
  if (std::isnan(number)) {
    return "nan";  // whatever its sign
  }
  return number > 0 ? "inf" : "-inf";
}

std::optional<double> number_from_json(const nlohmann::ordered_json& json) {
  if (json.is_number()) {
    return json.get<double>();
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return json == "nan"    ? std::optional(std::numeric_limits<double>::quiet_NaN())
         : json == "inf"  ? std::optional(kInfinity)
         : json == "-inf" ? std::optional(-kInfinity)
                          : std::nullopt;
}

}  // namespace lockstep
