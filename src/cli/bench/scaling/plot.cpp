#include "cli/bench/scaling/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/axis.h"
#include "cli/bench/curve.h"
#include "cli/bench/sheet.h"
#include "cli/bench/svg.h"
#include "cli/doctor/size_text.h"

namespace lockstep::bench::scaling {
namespace {

using svg::Axis;
using svg::line;
using svg::Panel;
using svg::Place;
using svg::Range;
using svg::text_at;

constexpr svg::Sheet kSheet{.panel_width = 340, .panel_gap = 84};
constexpr std::array<std::string_view, 5> kColors = {"#1d5fd1", "#d9731a", "#2a8f62", "#6b46c1", "#8a949e"};
constexpr svg::Stroke kLinearStroke = {"#8a949e", R"(stroke-width="1.4" stroke-dasharray="6 4")"};

svg::Stroke stroke_of(std::size_t curve) {
  return {kColors[curve % kColors.size()], R"(stroke-width="2.2")"};
}

// One drawn result: a value over a number of parameters.
struct Sample {
  double parameters = 0;
  double value = 0;
  bool hollow = false;  // not part of the fit
};

// One curve over parameters for each number of ranks, both axes logarithmic, and a dashed linear reference.
class GrowthPanel {
 public:
  struct Quantity {
    std::string_view title;
    std::string_view unit;
    std::function<double(const Result&)> value;
    std::function<bool(const Result&)> hollow;
  };

  GrowthPanel(const Report& report, const Quantity& quantity)
      : rank_counts_(report.rank_counts()), title_(quantity.title), unit_(quantity.unit) {
    for (const int ranks : rank_counts_) {
      std::vector<Sample>& curve = curves_.emplace_back();
      for (const Result& result : report.results) {
        if (result.point.ranks == ranks && quantity.value(result) > 0) {
          add(curve, {static_cast<double>(result.point.parameters), quantity.value(result),
                      quantity.hollow(result)});
        }
      }
    }
  }

  std::string render(const Panel& panel) const {
    if (values_.high <= 0) {
      return svg::frame(panel, title_, "nothing to show");
    }
    constexpr double kMargin = 1.3;  // keeps points off the frame
    const Range parameters{.low = parameters_.low / kMargin, .high = parameters_.high * kMargin};
    const Range values = svg::decades_around(values_);
    const Axis x(parameters, panel.left, panel.right());
    const Axis y(values, panel.bottom(), panel.top);
    const auto place = [&](const Sample& sample) {
      return Place{x.place(sample.parameters), y.place(sample.value)};
    };
    const auto [first, last] = linear(parameters, values);
    std::string picture = grid(panel, values, x, y);
    picture += svg::polyline(fmt::format("{} linear", title_), kLinearStroke, {place(first), place(last)});
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      std::vector<Place> places;
      std::string marks;
      for (const Sample& sample : curves_[i]) {
        const auto [across, up] = places.emplace_back(place(sample));
        marks += (sample.hollow ? svg::ring : svg::dot)(across, up, 3.4, stroke_of(i).color);
      }
      picture += svg::polyline(fmt::format("{} {}", title_, rank_counts_[i]), stroke_of(i), places) + marks;
    }
    return picture + svg::frame(panel, title_, "parameters");
  }

 private:
  void add(std::vector<Sample>& curve, const Sample& sample) {
    curve.push_back(sample);
    sizes_.insert(sample.parameters);
    parameters_.include(sample.parameters);
    values_.include(sample.value);
  }

  std::string grid(const Panel& panel, const Range& values, const Axis& x, const Axis& y) const {
    std::string picture;
    for (double value = values.low; value <= values.high * 1.01; value *= 10) {
      picture += line(panel.left, y.place(value), panel.right(), y.place(value), svg::kGrid);
      picture += text_at(panel.left - 8, y.place(value) + 4, fmt::format("{:g} {}", value, unit_),
                         {.anchor = "end"});
    }
    for (const double size : sizes_) {
      picture += line(x.place(size), panel.top, x.place(size), panel.bottom(), svg::kFaintGrid);
      picture += text_at(x.place(size), panel.bottom() + 20, fmt::format("{:.0f} M", size / 1e6),
                         {.size = 11, .anchor = "middle"});
    }
    return picture;
  }

  // Ends at the last point of the first curve and stays inside the frame.
  std::pair<Sample, Sample> linear(const Range& parameters, const Range& values) const {
    const Sample last =
        curves_.front().empty() ? Sample{parameters_.high, values_.high} : curves_.front().back();
    const double first = std::max(parameters.low, last.parameters * values.low / last.value);
    return {{first, last.value * first / last.parameters}, last};
  }

  std::vector<int> rank_counts_;
  std::string_view title_;
  std::string_view unit_;
  std::vector<std::vector<Sample>> curves_;  // by number of ranks
  std::set<double> sizes_;
  Range parameters_;
  Range values_;
};

// Explains the hollow points, in the corner that growing curves leave empty.
std::string cache_note(const Report& report, const Panel& panel) {
  const auto lines = report.cache_bytes
                         ? std::array{fmt::format("hollow: less than {} times the cache of {},", kCacheFactor,
                                                  doctor::size_text(*report.cache_bytes)),
                                      std::string("shown, but not fitted")}
                         : std::array{std::string("the size of the caches is not known:"),
                                      std::string("no size is left out")};
  std::string picture;
  double y = panel.top + 20;
  for (const std::string& line : lines) {
    picture += text_at(panel.left + 12, y, line, {.size = 11});
    y += 15;
  }
  return picture;
}

// Time and memory of each window relative to the first quarter.
std::string long_run_panel(const Report& report, const Panel& panel) {
  const Endurance& run = *report.endurance;
  const auto time = [&](const Window& window) { return window.median_ms / run.time_ms.first_quarter; };
  const auto memory = [&](const Window& window) {
    return static_cast<double>(window.memory_bytes) / 1e6 / run.memory_mb.first_quarter;
  };
  Range range{.low = 0.9, .high = 1.1};
  for (const Window& window : report.windows) {
    range.include(time(window));
    range.include(memory(window));
  }
  const Axis y({.low = range.low / 1.1, .high = range.high * 1.1}, panel.bottom(), panel.top);
  const auto curve = [&](std::string_view name, const svg::Stroke& stroke, const auto& value) {
    std::vector<Place> places;
    for (const Window& window : report.windows) {
      const double share = static_cast<double>(window.last_step) / static_cast<double>(run.steps);
      places.push_back({panel.left + share * panel.width, y.place(value(window))});
    }
    return svg::polyline(name, stroke, places);
  };
  std::string picture = line(panel.left, y.place(1), panel.right(), y.place(1), svg::kBorder);
  picture += text_at(panel.left - 8, y.place(1) + 4, "1", {.anchor = "end"});
  for (const double value : {range.low, range.high}) {
    picture += text_at(panel.left - 8, y.place(value) + 4, fmt::format("{:.2f}", value), {.anchor = "end"});
  }
  picture += curve("step time", {kColors[0], R"(stroke-width="1.6")"}, time);
  picture += curve("memory", stroke_of(1), memory);
  picture += text_at(panel.left + 12, panel.top + 20, "step time", {.color = kColors[0]});
  picture += text_at(panel.left + 90, panel.top + 20, "memory", {.color = kColors[1]});
  return picture +
         svg::frame(panel, "many steps, over the first quarter", fmt::format("{} steps", run.steps));
}

std::string legend(const Report& report) {
  std::vector<svg::LegendEntry> entries;
  for (const int ranks : report.rank_counts()) {
    entries.push_back({fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s"), stroke_of(entries.size())});
  }
  const double end = kSheet.left + static_cast<double>(entries.size()) * svg::kLegendStep;
  return svg::legend(kSheet.left, entries) + text_at(end, svg::kLegendText, "dashed: linear", {});
}

}  // namespace

std::string render_svg(const Report& report) {
  std::string picture =
      svg::opening("What training together costs", kSheet.width(report.endurance ? 3 : 2), kSheet.height());
  picture +=
      kSheet.heading("What training together costs as work grows", report.machine,
                     fmt::format("An mlp, {} samples per rank, {}. Medians.", report.batch, report.method));
  picture += legend(report);
  const GrowthPanel::Quantity time{
      .title = "time outside compute",
      .unit = "ms",
      .value = [](const Result& result) { return result.outside_ms(); },
      .hollow = [&](const Result& result) { return in_cache(result, report.cache_bytes); }};
  const GrowthPanel::Quantity memory{
      .title = "peak memory of all ranks",
      .unit = "MB",
      .value = [](const Result& result) { return result.step.total_memory_mb; },
      .hollow = [](const Result& /*result*/) { return false; }};
  picture += GrowthPanel(report, time).render(kSheet.panel(0)) + cache_note(report, kSheet.panel(0));
  picture += GrowthPanel(report, memory).render(kSheet.panel(1));
  if (report.endurance) {
    picture += long_run_panel(report, kSheet.panel(2));
  }
  return picture + svg::closing();
}

}  // namespace lockstep::bench::scaling
