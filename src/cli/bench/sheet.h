#pragma once

// The sheet of a benchmark's picture: a heading that says where it was measured, a legend, and below them panels of
// equal size side by side.

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/bench/host.h"

namespace lockstep::bench::svg {

// The place of one panel on a sheet.
struct Panel {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  double middle() const { return left + width / 2; }
};

// The border of a panel, with its title above and the label of its x axis below.
std::string frame(const Panel& panel, std::string_view title, std::string_view below);

struct Sheet {
  double left = 76;  // of the first panel, and of all text above it
  double top = 122;  // of the panels
  double right = 28;
  double bottom = 60;
  double panel_width = 0;
  double panel_height = 260;
  double panel_gap = 0;

  Panel panel(std::size_t index) const;    // counted from the left
  double width(std::size_t panels) const;  // of a sheet with this many
  double height() const { return top + panel_height + bottom; }

  // The title of the picture, and in small print the machine and a remark.
  std::string heading(std::string_view text, const Machine& machine, std::string_view remark) const;
};

}  // namespace lockstep::bench::svg
