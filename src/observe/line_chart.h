#pragma once

// A chart of curves over steps, as an HTML <figure> that contains an SVG.
//
// The SVG holds only lines and is stretched to the available space; its strokes are not. All text is HTML next to it,
// positioned in percent, so it stays readable on a phone. The numbers follow as JSON for the script that shows the
// values under the pointer; without the script only that is missing.

#include <cstddef>
#include <string>
#include <vector>

#include "observe/axis.h"
#include "observe/curve.h"

namespace lockstep {

enum class CurveStyle {
  kLine,
  kFaint,  // behind a smoothed curve
  kDots,   // few points, each marked
};

struct Curve {
  std::string name;
  CurveStyle style = CurveStyle::kLine;
  std::size_t color = 0;  // in the palette
  CurvePoints points;
};

struct LineChart {
  std::string title;
  std::string unit;     // "" or "samples/s"
  std::string reading;  // shown large next to the title: the last value
  std::string note;     // "" or a remark about the data
  AxisRange steps;      // the same for all charts of a page, so that they can be compared
  bool from_zero = false;
  bool may_be_logarithmic = false;  // if the values span more than two decades
  std::vector<Curve> curves;
};

// The colours in the style of the page.
inline constexpr std::size_t kPaletteSize = 6;

// With nothing to draw, shows only the title and the note.
std::string render_line_chart(const LineChart& chart);

}  // namespace lockstep
