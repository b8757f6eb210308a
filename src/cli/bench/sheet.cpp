#include "cli/bench/sheet.h"

#include <fmt/format.h>

#include "cli/bench/svg.h"

namespace lockstep::bench::svg {

std::string frame(const Panel& panel, std::string_view title, std::string_view below) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n",
                     panel.left, panel.top, panel.width, panel.height, kBorder) +
         text_at(panel.middle(), panel.top - 12, title, kPanelTitle) +
         text_at(panel.middle(), panel.bottom() + 42, below, {.anchor = "middle"});
}

Panel Sheet::panel(std::size_t index) const {
  return {.left = left + static_cast<double>(index) * (panel_width + panel_gap),
          .top = top,
          .width = panel_width,
          .height = panel_height};
}

double Sheet::width(std::size_t panels) const {
  const auto count = static_cast<double>(panels);
  return left + count * panel_width + (count - 1) * panel_gap + right;
}

std::string Sheet::heading(std::string_view text, const Machine& machine, std::string_view remark) const {
  return text_at(left, 30, text, {.size = 17, .color = kInk, .weight = "600"}) +
         text_at(left, 50, fmt::format("{}, {}. {}", machine.processor, cores_text(machine), remark), {});
}

}  // namespace lockstep::bench::svg
