#pragma once

// The report as a page for people: sections, aligned columns, advice below the check it belongs to.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/report.h"

namespace lockstep::doctor {

struct PageStyle {
  std::size_t width = 100;  // columns
  bool color = false;

  // For standard output: the terminal's width within reason, and colour unless NO_COLOR is set; the values above for a
  // file or a pipe.
  static PageStyle of_standard_output();
};

std::string render_page(const Report& report, const PageStyle& style);

// Breaks a text at its spaces into lines of at most `width` columns; a longer word gets its own line. Line breaks and
// other control characters count as spaces.
std::vector<std::string> wrap_text(std::string_view text, std::size_t width);

}  // namespace lockstep::doctor
