#pragma once

// Draws the curves of a picture, and the legend that names them.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::bench::svg {

// A point of a picture.
struct Place {
  double x = 0;
  double y = 0;
};

struct Stroke {
  std::string_view color;
  std::string_view style;  // more attributes
};

// Through all places; `series` identifies it to programs that read the picture.
std::string polyline(std::string_view series, const Stroke& stroke, const std::vector<Place>& places);

struct LegendEntry {
  std::string name;
  Stroke stroke;
};

// One row: a sample of each curve and its name, kLegendStep apart.
std::string legend(double left, const std::vector<LegendEntry>& entries);

inline constexpr double kLegendStep = 112;
inline constexpr double kLegendText = 78;  // where the names are

}  // namespace lockstep::bench::svg
