#include "cli/bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/bench/axis.h"
#include "cli/bench/svg.h"
#include "cli/doctor/size_text.h"

namespace lockstep::bench {
namespace {

using svg::Axis;
using svg::kInk;
using svg::line;
using svg::Range;
using svg::text_at;

constexpr double kPanelWidth = 400;
constexpr double kPanelHeight = 300;
constexpr double kPanelGap = 36;
constexpr double kLeft = 76;
constexpr double kTop = 122;
constexpr double kRight = 28;
constexpr double kBottom = 60;
constexpr double kLabelWidth = 46;  // of a size, so that two do not touch

// One line of the plot.
struct Curve {
  std::string_view name;
  std::string_view color;
  std::string_view style;  // more attributes
};

Curve curve_of(Implementation implementation) {
  switch (implementation) {
    case Implementation::kLockstep:
      return {"lockstep", "#1d5fd1", R"(stroke-width="2.6")"};
    case Implementation::kGloo:
      return {"gloo", "#d9731a", R"(stroke-width="1.8")"};
    case Implementation::kOpenMpi:
      return {"openmpi", "#2a8f62", R"(stroke-width="1.8")"};
  }
  return {"?", kInk, ""};
}

constexpr Curve kBoundCurve = {"bound", "#8a949e", R"(stroke-width="1.8" stroke-dasharray="6 4")"};

Range time_range(const Report& report) {
  Range range;
  for (const Result& result : report.results) {
    range.include(result.median_us);
    range.include(result.p95_us);
  }
  for (const Bound& bound : report.bounds) {
    range.include(bound.bound_us);
  }
  return svg::decades_around(range);
}

Range size_range(const Report& report) {
  Range range;
  for (const Result& result : report.results) {
    range.include(static_cast<double>(result.point.bytes));
  }
  constexpr double kMargin = 1.6;  // so that no point lies on the frame
  return {.low = range.low / kMargin, .high = range.high * kMargin};
}

std::string decade_text(double time_us) {
  if (time_us >= 1e6) {
    return fmt::format("{:g} s", time_us / 1e6);
  }
  return time_us >= 1e3 ? fmt::format("{:g} ms", time_us / 1e3)
         : time_us >= 1 ? fmt::format("{:g} µs", time_us)
                        : fmt::format("{:g} ns", time_us * 1e3);
}

// The panel for one number of ranks.
class Panel {
 public:
  Panel(const Report& report, int ranks, double left)
      : report_(report),
        ranks_(ranks),
        left_(left),
        times_(time_range(report)),
        x_(size_range(report), left, left + kPanelWidth),
        y_(times_, kTop + kPanelHeight, kTop) {}

  std::string render(bool with_times) const {
    std::string svg = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
                                  left_, kTop, kPanelWidth, kPanelHeight);
    svg += time_grid(with_times) + size_grid();
    svg +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#c3cad1\"/>\n",
                    left_, kTop, kPanelWidth, kPanelHeight);
    svg += text_at(left_ + kPanelWidth / 2, kTop - 12, fmt::format("{} ranks", ranks_),
                   {.size = 14, .color = kInk, .anchor = "middle", .weight = "600"});
    svg += text_at(left_ + kPanelWidth / 2, kTop + kPanelHeight + 42, "bytes per rank", {.anchor = "middle"});
    svg += bound_curve();
    std::vector<Implementation> contenders = report_.contenders();
    std::reverse(contenders.begin(), contenders.end());  // ours last, on top of the others
    for (const Implementation implementation : contenders) {
      svg += curve(implementation);
    }
    return svg;
  }

 private:
  std::string time_grid(bool with_times) const {
    std::string svg;
    for (double time = times_.low; time <= times_.high * 1.01; time *= 10) {
      const double y = y_.place(time);
      svg += line(left_, y, left_ + kPanelWidth, y, "#dfe4e9");
      if (with_times) {
        svg += text_at(left_ - 10, y + 4, decade_text(time), {.anchor = "end"});
      }
      for (int step = 2; step < 10 && time < times_.high * 0.99; ++step) {
        const double minor = y_.place(time * step);
        svg += line(left_, minor, left_ + kPanelWidth, minor, "#f3f5f7");
      }
    }
    return svg;
  }

  std::string size_grid() const {
    std::string svg;
    double free_from = left_ - kLabelWidth;
    for (const Point& point : report_.points(ranks_)) {
      const double x = x_.place(static_cast<double>(point.bytes));
      svg += line(x, kTop, x, kTop + kPanelHeight, "#eceff2");
      if (x - kLabelWidth / 2 >= free_from) {
        svg += text_at(x, kTop + kPanelHeight + 20, doctor::size_text(point.bytes),
                       {.size = 11, .anchor = "middle"});
        free_from = x + kLabelWidth / 2;
      }
    }
    return svg;
  }

  std::string path(const std::string& points, const Curve& curve) const {
    return fmt::format(
        "<polyline data-series=\"{} {}\" points=\"{}\" fill=\"none\" stroke=\"{}\" {} "
        "stroke-linejoin=\"round\"/>\n",
        curve.name, ranks_, points, curve.color, curve.style);
  }

  std::string bound_curve() const {
    std::string points;
    for (const Bound& bound : report_.bounds) {
      if (bound.point.ranks == ranks_) {
        points += place(bound.point, bound.bound_us);
      }
    }
    return path(points, kBoundCurve);
  }

  // The medians, and from each a thin line up to the 95th percentile.
  std::string curve(Implementation implementation) const {
    const Curve curve = curve_of(implementation);
    std::string points;
    std::string marks;
    for (const Result& result : report_.results) {
      if (result.implementation != implementation || result.point.ranks != ranks_) {
        continue;
      }
      const double x = x_.place(static_cast<double>(result.point.bytes));
      points += place(result.point, result.median_us);
      marks += line(x, y_.place(result.median_us), x, y_.place(result.p95_us), curve.color);
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\" fill=\"{}\" stroke=\"#ffffff\"/>\n",
                           x, y_.place(result.median_us), curve.color);
    }
    return path(points, curve) + marks;
  }

  std::string place(const Point& point, double time_us) const {
    return fmt::format("{:.1f},{:.1f} ", x_.place(static_cast<double>(point.bytes)), y_.place(time_us));
  }

  const Report& report_;
  int ranks_;
  double left_;
  Range times_;
  Axis x_;
  Axis y_;
};

std::string legend(const Report& report) {
  std::vector<Curve> curves;
  for (const Implementation implementation : report.contenders()) {
    curves.push_back(curve_of(implementation));
  }
  curves.push_back(kBoundCurve);
  std::string svg;
  double x = kLeft;
  for (const Curve& curve : curves) {
    constexpr double kY = 74;
    svg += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" {}/>\n", x, kY, x + 26,
                       kY, curve.color, curve.style);
    svg += text_at(x + 33, kY + 4, curve.name, {.color = kInk});
    x += 112;
  }
  return svg;
}

}  // namespace

std::string render_svg(const Report& report) {
  const std::vector<int> rank_counts = report.rank_counts();
  const auto panels = static_cast<double>(rank_counts.size());
  const double width = kLeft + panels * kPanelWidth + (panels - 1) * kPanelGap + kRight;
  const double height = kTop + kPanelHeight + kBottom;
  std::string picture = svg::opening("Time of an all-reduce over its size", width, height);
  picture += text_at(kLeft, 30, "Time of an all-reduce (float32 sum, in place)",
                     {.size = 17, .color = kInk, .weight = "600"});
  picture += text_at(kLeft, 50,
                     fmt::format("{}, {}. Lower is better. Median; whiskers to the 95th percentile.",
                                 report.machine.processor, cores_text(report.machine)),
                     {});
  picture += legend(report);
  double left = kLeft;
  for (const int ranks : rank_counts) {
    picture += Panel(report, ranks, left).render(ranks == rank_counts.front());
    left += kPanelWidth + kPanelGap;
  }
  return picture + svg::closing();
}

}  // namespace lockstep::bench
