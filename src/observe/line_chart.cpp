#include "observe/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "observe/html_text.h"

namespace lockstep {
namespace {

constexpr double kViewBox = 1000;
constexpr double kTwoDecades = 100;

std::string_view class_of(CurveStyle style) {
  switch (style) {
    case CurveStyle::kLine:
      return "line";
    case CurveStyle::kFaint:
      return "faint";
    case CurveStyle::kDots:
      return "thin";
  }
  return "line";
}

std::string color_class(const Curve& curve) {
  return fmt::format("c{}", curve.color % kPaletteSize);
}

std::optional<AxisRange> value_range(const LineChart& chart) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  AxisRange range{kInfinity, -kInfinity};
  for (const Curve& curve : chart.curves) {
    for (const CurvePoint& point : curve.points) {
      if (is_drawable(point.value)) {
        range.low = std::min(range.low, point.value);
        range.high = std::max(range.high, point.value);
      }
    }
  }
  return range.low <= range.high ? std::optional(range) : std::nullopt;
}

Axis value_axis(const LineChart& chart, AxisRange range) {
  if (chart.may_be_logarithmic && range.low > 0 && range.high > range.low * kTwoDecades) {
    return Axis::around(range, AxisScale::kLogarithmic);
  }
  if (chart.from_zero) {
    range = {std::min(0.0, range.low), std::max(0.0, range.high)};
  }
  return Axis::around(range);
}

std::string json_string(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// The body of a rendered chart, once its axes are known.
class Plot {
 public:
  Plot(const LineChart& chart, const Axis& steps, const Axis& values)
      : chart_(chart), steps_(steps), values_(values) {}

  std::string svg() const {
    std::string lines;
    for (const Tick& tick : values_.ticks()) {
      lines += fmt::format("M0 {:.1f}H{}", y(tick.value), kViewBox);
    }
    std::string text = fmt::format(
        "<svg viewBox=\"0 0 {0} {0}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{1}\">\n"
        "<path class=\"grid\" d=\"{2}\"/>\n",
        kViewBox, html_escaped(description()), lines);
    for (const Curve& curve : chart_.curves) {
      text += curve_paths(curve);
    }
    return text + "</svg>\n";
  }

  std::string labels() const {
    std::string text;
    for (const Tick& tick : values_.ticks()) {
      text += fmt::format(R"(<span class="y" style="top:{:.2f}%">{}</span>)",
                          100 * (1 - values_.place(tick.value)), tick.label);
    }
    bool is_second = false;  // if there are two; narrow screens have room for the first only
    for (const Tick& tick : steps_.ticks()) {
      text += fmt::format(R"(<span class="x{}" style="left:{:.2f}%">{}</span>)", is_second ? " second" : "",
                          100 * steps_.place(tick.value), tick.label);
      is_second = !is_second;
    }
    return text + "<span class=\"axis\">step</span>\n";
  }

  // The data that the script needs to find the point under the pointer.
  std::string json() const {
    std::string curves;
    for (const Curve& curve : chart_.curves) {
      curves += (curves.empty() ? "" : ",") + curve_json(curve);
    }
    return fmt::format(
        R"({{"unit":{},"steps":[{:.6g},{:.6g}],"values":[{:.6g},{:.6g}],"log":{},"curves":[{}]}})",
        json_string(chart_.unit), steps_.range().low, steps_.range().high, values_.range().low,
        values_.range().high, values_.scale() == AxisScale::kLogarithmic, curves);
  }

 private:
  double x(std::int64_t step) const { return kViewBox * steps_.place(static_cast<double>(step)); }
  double y(double value) const { return kViewBox * (1 - values_.place(value)); }

  std::string description() const {
    return fmt::format("{} over steps {:.0f} to {:.0f}, from {:g} to {:g}{}", chart_.title,
                       steps_.range().low, steps_.range().high, values_.range().low, values_.range().high,
                       chart_.unit.empty() ? "" : " " + chart_.unit);
  }

  // A point without neighbours is a line of zero length, which round ends turn into a dot.
  std::string line_path(const CurvePoints& points) const {
    std::string path;
    bool is_interrupted = true;
    for (const CurvePoint& point : points) {
      if (!is_drawable(point.value)) {
        is_interrupted = true;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}{}", is_interrupted ? "M" : "L", x(point.step), y(point.value),
                          is_interrupted ? "h0" : "");
      is_interrupted = false;
    }
    return path;
  }

  std::string dots_path(const CurvePoints& points) const {
    std::string path;
    for (const CurvePoint& point : points) {
      if (is_drawable(point.value)) {
        path += fmt::format("M{:.1f} {:.1f}h0", x(point.step), y(point.value));
      }
    }
    return path;
  }

  std::string curve_paths(const Curve& curve) const {
    std::string text = fmt::format("<path class=\"{} {}\" d=\"{}\"/>\n", class_of(curve.style),
                                   color_class(curve), line_path(curve.points));
    if (curve.style == CurveStyle::kDots) {
      text +=
          fmt::format("<path class=\"dots {}\" d=\"{}\"/>\n", color_class(curve), dots_path(curve.points));
    }
    return text;
  }

  static std::string curve_json(const Curve& curve) {
    std::string steps;
    std::string epochs;
    std::string values;
    for (const CurvePoint& point : curve.points) {
      if (is_drawable(point.value)) {
        const std::string_view comma = steps.empty() ? "" : ",";
        steps += fmt::format("{}{}", comma, point.step);
        epochs += fmt::format("{}{:.4g}", comma, std::isfinite(point.epoch) ? point.epoch : 0);
        values += fmt::format("{}{:.6g}", comma, point.value);
      }
    }
    return fmt::format(R"({{"name":{},"color":"{}","x":[{}],"epoch":[{}],"y":[{}]}})",
                       json_string(curve.name), color_class(curve), steps, epochs, values);
  }

  const LineChart& chart_;
  const Axis& steps_;
  const Axis& values_;
};

std::string chart_caption(const LineChart& chart, AxisScale scale) {
  std::string unit = chart.unit;
  if (scale == AxisScale::kLogarithmic) {
    unit += unit.empty() ? "log scale" : ", log scale";
  }
  return fmt::format(
      "<figcaption><span class=\"name\">{}</span><span class=\"unit\">{}</span>"
      "<span class=\"reading\">{}</span></figcaption>\n",
      html_escaped(chart.title), html_escaped(unit), html_escaped(chart.reading));
}

std::string chart_note(const LineChart& chart) {
  return chart.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", html_escaped(chart.note));
}

std::string chart_legend(const LineChart& chart) {
  if (chart.curves.size() < 2) {
    return "";
  }
  std::string text = R"(<ul class="legend">)";
  for (const Curve& curve : chart.curves) {
    text += fmt::format(R"(<li><i class="{} {}"></i>{}</li>)",
                        curve.style == CurveStyle::kDots ? "dot" : class_of(curve.style), color_class(curve),
                        html_escaped(curve.name));
  }
  return text + "</ul>\n";
}

}  // namespace

std::string render_line_chart(const LineChart& chart) {
  const auto range = value_range(chart);
  if (!range) {
    return "<figure class=\"card chart\">\n" + chart_caption(chart, AxisScale::kLinear) + chart_note(chart) +
           "</figure>\n";
  }
  const Axis steps = Axis::of_steps(chart.steps);
  const Axis values = value_axis(chart, *range);
  const Plot plot(chart, steps, values);
  return "<figure class=\"card chart\">\n" + chart_caption(chart, values.scale()) + chart_legend(chart) +
         "<div class=\"plot\">\n" + plot.svg() + plot.labels() + "</div>\n" + chart_note(chart) +
         R"(<script type="application/json">)" + script_escaped(plot.json()) + "</script>\n</figure>\n";
}

}  // namespace lockstep
