#include "cli/bench/curve.h"

#include <fmt/format.h>

#include "cli/bench/svg.h"

namespace lockstep::bench::svg {

std::string polyline(std::string_view series, const Stroke& stroke, const std::vector<Place>& places) {
  std::string points;
  for (const Place& place : places) {
    points += fmt::format("{:.1f},{:.1f} ", place.x, place.y);
  }
  return fmt::format(
      "<polyline data-series=\"{}\" points=\"{}\" fill=\"none\" stroke=\"{}\" {} "
      "stroke-linejoin=\"round\"/>\n",
      series, points, stroke.color, stroke.style);
}

std::string legend(double left, const std::vector<LegendEntry>& entries) {
  constexpr double kLine = kLegendText - 4;  // vertically centred on the names
  constexpr double kLength = 26;
  std::string picture;
  double x = left;
  for (const LegendEntry& entry : entries) {
    picture += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" {}/>\n", x, kLine,
                           x + kLength, kLine, entry.stroke.color, entry.stroke.style);
    picture += text_at(x + kLength + 7, kLegendText, entry.name, {.color = kInk});
    x += kLegendStep;
  }
  return picture;
}

}  // namespace lockstep::bench::svg
