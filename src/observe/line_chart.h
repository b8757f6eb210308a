#pragma once

// A chart of curves over steps, as a <figure> of HTML with an SVG in it.
//
// The SVG holds lines only and is stretched to whatever room there is; its strokes are not. All text is HTML beside
// it, placed in percent, so it stays readable on a phone. The numbers follow as JSON for the script that shows what is
// under the pointer; without it nothing is missing but that.

#include <cstddef>
#include <string>
#include <vector>

#include "observe/axis.h"
#include "observe/curve.h"

namespace lockstep {

enum class CurveStyle {
  kLine,
  kFaint,  // behind a smoothed one
  kDots,   // few points, each marked
};

struct Curve {
  std::string name;
  CurveStyle style = CurveStyle::kLine;
  std::size_t color = 0;  // of the palette
  CurvePoints points;
};

struct LineChart {
  std::string title;
  std::string unit;     // "" or "samples/s"
  std::string reading;  // what is shown large beside the title: the last value
  std::string note;     // "" or what is to be said of the data
  AxisRange steps;      // the same for all charts of a page, so that they can be compared
  bool from_zero = false;
  bool may_be_logarithmic = false;  // when the values span more than two decades
  std::vector<Curve> curves;
};

// Colours that the style of the page has.
inline constexpr std::size_t kPaletteSize = 6;

// Without anything that can be drawn there is the title and the note.
std::string render_line_chart(const LineChart& chart);

}  // namespace lockstep
