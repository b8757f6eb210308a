#include "cli/bench/step/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/bench/sheet.h"
#include "cli/bench/svg.h"

namespace lockstep::bench::step {
namespace {

using svg::kInk;
using svg::line;
using svg::text_at;

constexpr double kBarWidth = 22;
constexpr double kBarGap = 6;
constexpr double kHeadroom = 18;      // for the number above the highest bar
constexpr double kWhiskerRoom = 1.3;  // above the highest median; a longer whisker is cut off there
constexpr double kLegendStep = 176;
constexpr std::size_t kLegendColumns = 5;

std::string_view color_of(Variant variant) {
  switch (variant) {
    case Variant::kCompute:
      return "#4a5560";
    case Variant::kNoComm:
      return "#8a949e";
    case Variant::kDdp:
      return "#1d5fd1";
    case Variant::kSharded:
      return "#0f3a8a";
    case Variant::kShardedShared:
      return "#6b46c1";
    case Variant::kDdpOneRank:
      return "#7fa6e8";
    case Variant::kPlainOneRank:
      return "#c3cad1";
    case Variant::kPytorchDdp:
      return "#d9731a";
    case Variant::kPytorchDdpView:
      return "#eeb27f";
    case Variant::kPytorchDdpFused:
      return "#a3480b";
    case Variant::kPytorchThreads:
      return "#2a8f62";
    case Variant::kPytorchThreadsFused:
      return "#8cc9ab";
  }
  return kInk;
}

svg::Sheet sheet_of(const Report& report) {
  return {.left = 40,
          .top = 136,
          .bottom = 44,
          .panel_width = static_cast<double>(report.variants().size()) * (kBarWidth + kBarGap) + kBarGap,
          .panel_gap = 30};
}

// The panel of one case. Each has its own scale, from zero to a little above its slowest variant.
class CasePanel {
 public:
  CasePanel(const Report& report, const TrainingCase& training, const svg::Panel& panel)
      : report_(report), training_(training), panel_(panel) {
    double highest_median = 0;
    for (const Result& result : report.results) {
      if (result.training == training) {
        highest_ = std::max({highest_, result.step.p90_ms, result.step.median_ms});
        highest_median = std::max(highest_median, result.step.median_ms);
      }
    }
    highest_ = std::clamp(highest_median * kWhiskerRoom, 1e-9, highest_);
  }

  std::string render() const {
    std::string picture = line(panel_.left, y(0), panel_.right(), y(0), svg::kBorder);
    double x = panel_.left + kBarGap;
    for (const Variant variant : report_.variants()) {
      if (const Result* result = report_.find(training_, variant)) {
        picture += bar(*result, x);
      }
      x += kBarWidth + kBarGap;
    }
    return picture + text_at(panel_.middle(), y(0) + 22, to_string(training_), svg::kPanelTitle);
  }

 private:
  double y(double time_ms) const {
    return panel_.bottom() - std::min(time_ms / highest_, 1.0) * (panel_.height - kHeadroom);
  }

  // The median, and a thin line from the 10th percentile to the 90th.
  std::string bar(const Result& result, double x) const {
    const double middle = x + kBarWidth / 2;
    std::string picture = fmt::format(
        "<rect data-series=\"{} {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" "
        "fill=\"{}\"/>\n",
        to_string(training_), to_string(result.variant), x, y(result.step.median_ms), kBarWidth,
        y(0) - y(result.step.median_ms), color_of(result.variant));
    picture += line(middle, y(result.step.p10_ms), middle, y(result.step.p90_ms), kInk);
    return picture +
           text_at(middle, y(std::max(result.step.median_ms, result.step.p90_ms)) - 5,
                   fmt::format("{:.{}f}", result.step.median_ms, result.step.median_ms < 10 ? 1 : 0),
                   {.size = 10, .color = kInk, .anchor = "middle"});
  }

  const Report& report_;
  TrainingCase training_;
  svg::Panel panel_;
  double highest_ = 1e-9;
};

std::string legend(const Report& report, double left) {
  constexpr double kFirstRow = 66;
  constexpr double kRowStep = 22;
  std::string picture;
  const std::vector<Variant> variants = report.variants();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::size_t row = i / kLegendColumns;
    const std::size_t column = i % kLegendColumns;
    const double x = left + static_cast<double>(column) * kLegendStep;
    const double y = kFirstRow + static_cast<double>(row) * kRowStep;
    picture += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"{}\"/>\n", x, y,
                           color_of(variants[i]));
    picture += text_at(x + 20, y + 11, to_string(variants[i]), {.color = kInk});
  }
  return picture;
}

}  // namespace

std::string render_svg(const Report& report) {
  const svg::Sheet sheet = sheet_of(report);
  const std::vector<TrainingCase> cases = report.cases();
  const auto names = static_cast<double>(std::min(kLegendColumns, report.variants().size()));
  const double width = std::max(sheet.width(cases.size()), sheet.left + names * kLegendStep + sheet.right);
  std::string picture = svg::opening("Time of a training step", width, sheet.height());
  picture += sheet.heading("Time of a training step in ms", report.machine,
                           "Lower is better. Median; whiskers from the 10th to the 90th percentile.");
  picture += legend(report, sheet.left);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    picture += CasePanel(report, cases[i], sheet.panel(i)).render();
  }
  return picture + svg::closing();
}

}  // namespace lockstep::bench::step
