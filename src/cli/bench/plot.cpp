#include "cli/bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/bench/axis.h"
#include "cli/bench/curve.h"
#include "cli/bench/sheet.h"
#include "cli/bench/svg.h"
#include "cli/doctor/size_text.h"

namespace lockstep::bench {
namespace {

using svg::Axis;
using svg::line;
using svg::Place;
using svg::Range;
using svg::text_at;

constexpr svg::Sheet kSheet{.panel_width = 400, .panel_height = 300, .panel_gap = 36};
constexpr double kLabelWidth = 46;  // of a size label, so that two do not touch

svg::Stroke stroke_of(Implementation implementation) {
  switch (implementation) {
    case Implementation::kLockstep:
      return {"#1d5fd1", R"(stroke-width="2.6")"};
    case Implementation::kGloo:
      return {"#d9731a", R"(stroke-width="1.8")"};
    case Implementation::kOpenMpi:
      return {"#2a8f62", R"(stroke-width="1.8")"};
  }
  return {svg::kInk, ""};
}

constexpr svg::Stroke kBoundStroke = {"#8a949e", R"(stroke-width="1.8" stroke-dasharray="6 4")"};

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
  constexpr double kMargin = 1.6;  // keeps points off the frame
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
class RanksPanel {
 public:
  RanksPanel(const Report& report, int ranks, const svg::Panel& panel)
      : report_(report),
        ranks_(ranks),
        panel_(panel),
        times_(time_range(report)),
        x_(size_range(report), panel.left, panel.right()),
        y_(times_, panel.bottom(), panel.top) {}

  std::string render(bool with_times) const {
    std::string picture =
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", panel_.left,
                    panel_.top, panel_.width, panel_.height);
    picture += time_grid(with_times) + size_grid();
    picture += svg::frame(panel_, fmt::format("{} ranks", ranks_), "bytes per rank");
    picture += bound_curve();
    std::vector<Implementation> contenders = report_.contenders();
    std::reverse(contenders.begin(), contenders.end());  // lockstep last, on top of the others
    for (const Implementation implementation : contenders) {
      picture += curve(implementation);
    }
    return picture;
  }

 private:
  std::string time_grid(bool with_times) const {
    std::string picture;
    for (double time = times_.low; time <= times_.high * 1.01; time *= 10) {
      const double y = y_.place(time);
      picture += line(panel_.left, y, panel_.right(), y, svg::kGrid);
      if (with_times) {
        picture += text_at(panel_.left - 10, y + 4, decade_text(time), {.anchor = "end"});
      }
      for (int step = 2; step < 10 && time < times_.high * 0.99; ++step) {
        const double minor = y_.place(time * step);
        picture += line(panel_.left, minor, panel_.right(), minor, "#f3f5f7");
      }
    }
    return picture;
  }

  std::string size_grid() const {
    std::string picture;
    double free_from = panel_.left - kLabelWidth;
    for (const Point& point : report_.points(ranks_)) {
      const double x = x_.place(static_cast<double>(point.bytes));
      picture += line(x, panel_.top, x, panel_.bottom(), svg::kFaintGrid);
      if (x - kLabelWidth / 2 >= free_from) {
        picture += text_at(x, panel_.bottom() + 20, doctor::size_text(point.bytes),
                           {.size = 11, .anchor = "middle"});
        free_from = x + kLabelWidth / 2;
      }
    }
    return picture;
  }

  std::string bound_curve() const {
    std::vector<Place> places;
    for (const Bound& bound : report_.bounds) {
      if (bound.point.ranks == ranks_) {
        places.push_back(place(bound.point, bound.bound_us));
      }
    }
    return svg::polyline(fmt::format("bound {}", ranks_), kBoundStroke, places);
  }

  // The medians, each with a thin line up to the 95th percentile.
  std::string curve(Implementation implementation) const {
    const svg::Stroke stroke = stroke_of(implementation);
    std::vector<Place> medians;
    std::string marks;
    for (const Result& result : report_.results) {
      if (result.implementation != implementation || result.point.ranks != ranks_) {
        continue;
      }
      const Place median = medians.emplace_back(place(result.point, result.median_us));
      marks += line(median.x, median.y, median.x, y_.place(result.p95_us), stroke.color);
      marks += svg::dot(median.x, median.y, 3.6, stroke.color);
    }
    return svg::polyline(fmt::format("{} {}", to_string(implementation), ranks_), stroke, medians) + marks;
  }

  Place place(const Point& point, double time_us) const {
    return {x_.place(static_cast<double>(point.bytes)), y_.place(time_us)};
  }

  const Report& report_;
  int ranks_;
  svg::Panel panel_;
  Range times_;
  Axis x_;
  Axis y_;
};

std::string legend(const Report& report) {
  std::vector<svg::LegendEntry> entries;
  for (const Implementation implementation : report.contenders()) {
    entries.push_back({std::string(to_string(implementation)), stroke_of(implementation)});
  }
  entries.push_back({"bound", kBoundStroke});
  return svg::legend(kSheet.left, entries);
}

}  // namespace

std::string render_svg(const Report& report) {
  const std::vector<int> rank_counts = report.rank_counts();
  std::string picture =
      svg::opening("Time of an all-reduce over its size", kSheet.width(rank_counts.size()), kSheet.height());
  picture += kSheet.heading("Time of an all-reduce (float32 sum, in place)", report.machine,
                            "Lower is better. Median; whiskers to the 95th percentile.");
  picture += legend(report);
  for (std::size_t i = 0; i < rank_counts.size(); ++i) {
    picture += RanksPanel(report, rank_counts[i], kSheet.panel(i)).render(i == 0);
  }
  return picture + svg::closing();
}

}  // namespace lockstep::bench
