#include "cli/bench/scaling/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "cli/bench/axis.h"
#include "cli/bench/svg.h"

namespace lockstep::bench::scaling {
namespace {

using svg::Axis;
using svg::kInk;
using svg::line;
using svg::Range;
using svg::text_at;

constexpr double kPanelWidth = 340;
constexpr double kPanelHeight = 260;
constexpr double kPanelGap = 84;
constexpr double kLeft = 76;
constexpr double kTop = 122;
constexpr double kRight = 28;
constexpr double kBottom = 60;
constexpr double kLegendStep = 112;

constexpr std::array<std::string_view, 5> kColors = {"#1d5fd1", "#d9731a", "#2a8f62", "#6b46c1", "#8a949e"};

struct Dot {
  double x = 0;
  double y = 0;
};

struct Curve {
  std::string name;
  std::string_view color;
  std::string style;
  std::vector<Dot> dots;
};

std::string polyline(const Curve& curve, const std::function<Dot(const Dot&)>& place) {
  std::string points;
  for (const Dot& dot : curve.dots) {
    const Dot there = place(dot);
    points += fmt::format("{:.1f},{:.1f} ", there.x, there.y);
  }
  return fmt::format(
      "<polyline data-series=\"{}\" points=\"{}\" fill=\"none\" stroke=\"{}\" {} "
      "stroke-linejoin=\"round\"/>\n",
      curve.name, points, curve.color, curve.style);
}

std::string frame(double left, std::string_view title, std::string_view below) {
  return fmt::format(
             "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#c3cad1\"/>\n", left,
             kTop, kPanelWidth, kPanelHeight) +
         text_at(left + kPanelWidth / 2, kTop - 12, title,
                 {.size = 14, .color = kInk, .anchor = "middle", .weight = "600"}) +
         text_at(left + kPanelWidth / 2, kTop + kPanelHeight + 42, below, {.anchor = "middle"});
}

// A curve for each number of ranks over parameters, both axes logarithmic, and a dashed line that is linear.
class GrowthPanel {
 public:
  using Value = std::function<double(const Result&)>;

  GrowthPanel(const Report& report, std::string_view title, std::string_view unit, const Value& value)
      : title_(title), unit_(unit) {
    for (const int ranks : report.rank_counts()) {
      Curve& curve = curves_.emplace_back(Curve{.name = fmt::format("{} {}", title, ranks),
                                                .color = kColors[curves_.size() % kColors.size()],
                                                .style = R"(stroke-width="2.2")",
                                                .dots = {}});
      for (const Result& result : report.results) {
        if (result.point.ranks == ranks && value(result) > 0) {
          curve.dots.push_back({static_cast<double>(result.point.parameters), value(result)});
          sizes_.insert(curve.dots.back().x);
          x_range_.include(curve.dots.back().x);
          y_range_.include(curve.dots.back().y);
        }
      }
    }
  }

  std::string render(double left) const {
    if (y_range_.high <= 0) {
      return frame(left, title_, "nothing to show");
    }
    constexpr double kMargin = 1.3;  // so that no point lies on the frame
    const Range parameters{.low = x_range_.low / kMargin, .high = x_range_.high * kMargin};
    const Range values = svg::decades_around(y_range_);
    const Axis x(parameters, left, left + kPanelWidth);
    const Axis y(values, kTop + kPanelHeight, kTop);
    std::string picture = grid(left, values, x, y);
    const auto place = [&](const Dot& dot) { return Dot{x.place(dot.x), y.place(dot.y)}; };
    picture += polyline(linear(parameters, values), place);
    for (const Curve& curve : curves_) {
      picture += polyline(curve, place);
      for (const Dot& dot : curve.dots) {
        picture +=
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\" fill=\"{}\" stroke=\"#ffffff\"/>\n",
                        x.place(dot.x), y.place(dot.y), curve.color);
      }
    }
    return picture + frame(left, title_, "parameters");
  }

 private:
  std::string grid(double left, const Range& values, const Axis& x, const Axis& y) const {
    std::string picture;
    for (double value = values.low; value <= values.high * 1.01; value *= 10) {
      picture += line(left, y.place(value), left + kPanelWidth, y.place(value), "#dfe4e9");
      picture +=
          text_at(left - 8, y.place(value) + 4, fmt::format("{:g} {}", value, unit_), {.anchor = "end"});
    }
    for (const double size : sizes_) {
      picture += line(x.place(size), kTop, x.place(size), kTop + kPanelHeight, "#eceff2");
      picture += text_at(x.place(size), kTop + kPanelHeight + 20, fmt::format("{:.0f} M", size / 1e6),
                         {.size = 11, .anchor = "middle"});
    }
    return picture;
  }

  // Ends in the last point of the first curve and stays in the frame.
  Curve linear(const Range& parameters, const Range& values) const {
    const Dot end =
        curves_.front().dots.empty() ? Dot{x_range_.high, y_range_.high} : curves_.front().dots.back();
    const double first = std::max(parameters.low, end.x * values.low / end.y);
    return {.name = std::string(title_) + " linear",
            .color = "#8a949e",
            .style = R"(stroke-width="1.4" stroke-dasharray="6 4")",
            .dots = {{first, end.y * first / end.x}, end}};
  }

  std::string_view title_;
  std::string_view unit_;
  std::vector<Curve> curves_;
  std::set<double> sizes_;
  Range x_range_;
  Range y_range_;
};

// Time and memory of each window over those of the first quarter.
std::string long_run_panel(const Report& report, double left) {
  const Endurance& run = *report.endurance;
  Curve time{.name = "step time", .color = kColors[0], .style = R"(stroke-width="1.6")", .dots = {}};
  Curve memory{.name = "memory", .color = kColors[1], .style = R"(stroke-width="2.2")", .dots = {}};
  Range range{.low = 0.9, .high = 1.1};
  for (const Window& window : report.windows) {
    const auto step = static_cast<double>(window.last_step);
    time.dots.push_back({step, window.median_ms / run.time_ms.first_quarter});
    memory.dots.push_back(
        {step, static_cast<double>(window.memory_bytes) / 1e6 / run.memory_mb.first_quarter});
    range.include(time.dots.back().y);
    range.include(memory.dots.back().y);
  }
  const Axis y({.low = range.low / 1.1, .high = range.high * 1.1}, kTop + kPanelHeight, kTop);
  const auto place = [&](const Dot& dot) {
    return Dot{left + dot.x / static_cast<double>(run.steps) * kPanelWidth, y.place(dot.y)};
  };
  std::string picture = line(left, y.place(1), left + kPanelWidth, y.place(1), "#c3cad1");
  picture += text_at(left - 8, y.place(1) + 4, "1", {.anchor = "end"});
  for (const double value : {range.low, range.high}) {
    picture += text_at(left - 8, y.place(value) + 4, fmt::format("{:.2f}", value), {.anchor = "end"});
  }
  picture += polyline(time, place) + polyline(memory, place);
  picture += text_at(left + 12, kTop + 20, "step time", {.color = time.color});
  picture += text_at(left + 90, kTop + 20, "memory", {.color = memory.color});
  return picture + frame(left, "many steps, over the first quarter", fmt::format("{} steps", run.steps));
}

std::string legend(const Report& report) {
  std::string picture;
  double x = kLeft;
  std::size_t i = 0;
  for (const int ranks : report.rank_counts()) {
    constexpr double kY = 74;
    picture +=
        fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2.2\"/>\n", x,
                    kY, x + 26, kY, kColors[i++ % kColors.size()]);
    picture +=
        text_at(x + 33, kY + 4, fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s"), {.color = kInk});
    x += kLegendStep;
  }
  return picture + text_at(x, 78, "dashed: linear", {});
}

}  // namespace

std::string render_svg(const Report& report) {
  const double panels = report.endurance ? 3 : 2;
  const double width = kLeft + panels * kPanelWidth + (panels - 1) * kPanelGap + kRight;
  std::string picture = svg::opening("What training together costs", width, kTop + kPanelHeight + kBottom);
  picture += text_at(kLeft, 30, "What training together costs as work grows",
                     {.size = 17, .color = kInk, .weight = "600"});
  picture +=
      text_at(kLeft, 50,
              fmt::format("{}, {}. An mlp, {} samples per rank, {}. Medians.", report.machine.processor,
                          cores_text(report.machine), report.batch, report.method),
              {});
  picture += legend(report);
  picture += GrowthPanel(report, "time outside compute", "ms", [](const Result& result) {
               return result.outside_ms();
             }).render(kLeft);
  picture += GrowthPanel(report, "peak memory of all ranks", "MB", [](const Result& result) {
               return result.total_memory_mb;
             }).render(kLeft + kPanelWidth + kPanelGap);
  if (report.endurance) {
    picture += long_run_panel(report, kLeft + 2 * (kPanelWidth + kPanelGap));
  }
  return picture + svg::closing();
}

}  // namespace lockstep::bench::scaling
