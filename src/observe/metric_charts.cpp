#include "observe/metric_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "observe/number_text.h"

namespace lockstep {
namespace {

constexpr std::size_t kFewestSmoothed = 40;  // points; fewer are clear without smoothing
constexpr std::size_t kMostDots = 60;

enum class ChartGroup { kOutcome, kMachinery };

// What is known about a name.
struct MetricKind {
  std::string_view name;
  std::string_view title = {};  // empty: derived from the name
  std::string_view unit = {};
  ChartGroup group = ChartGroup::kOutcome;
  double factor = 1;
  bool is_noisy = true;
  bool from_zero = false;
  bool may_be_logarithmic = false;
  bool only_if_not_zero = false;
};

// In the order of the page; other names follow those of their group.
constexpr std::array<MetricKind, 9> kMetricKinds = {{
    {.name = "loss", .title = "Loss", .may_be_logarithmic = true},
    {.name = "accuracy", .title = "Accuracy"},
    {.name = "learning_rate",
     .title = "Learning rate",
     .group = ChartGroup::kMachinery,
     .is_noisy = false,
     .from_zero = true},
    {.name = "samples_per_second",
     .title = "Throughput",
     .unit = "samples/s",
     .group = ChartGroup::kMachinery,
     .from_zero = true},
    {.name = "communication_share",
     .title = "Time in communication",
     .unit = "%",
     .group = ChartGroup::kMachinery,
     .factor = 100,
     .from_zero = true},
    {.name = "data_share",
     .title = "Time waiting for data",
     .unit = "%",
     .group = ChartGroup::kMachinery,
     .factor = 100,
     .from_zero = true},
    {.name = "gradient_norm", .title = "Gradient norm", .group = ChartGroup::kMachinery, .from_zero = true},
    {.name = "loss_scale", .title = "Loss scale", .group = ChartGroup::kMachinery, .is_noisy = false},
    {.name = "skipped_steps",
     .title = "Skipped steps",
     .group = ChartGroup::kMachinery,
     .is_noisy = false,
     .from_zero = true,
     .only_if_not_zero = true},
}};

struct PhasePoints {
  std::string phase;
  std::size_t color = 0;
  CurvePoints points;
};

struct Metric {
  std::string name;
  std::vector<PhasePoints> phases;
};

const MetricKind* known_kind(std::string_view name) {
  const auto* kind = std::find_if(kMetricKinds.begin(), kMetricKinds.end(),
                                  [name](const MetricKind& known) { return known.name == name; });
  return kind != kMetricKinds.end() ? kind : nullptr;
}

MetricKind kind_of(std::string_view name) {
  const MetricKind* known = known_kind(name);
  return known != nullptr ? *known : MetricKind{.name = name};
}

// "top5_accuracy" -> "Top5 accuracy"
std::string title_of(const MetricKind& kind) {
  if (!kind.title.empty()) {
    return std::string(kind.title);
  }
  std::string title(kind.name);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty()) {
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  }
  return title;
}

// The element with this name, added if necessary.
template <class T>
T& find_or_add(std::vector<T>& elements, std::string T::*name, const std::string& wanted) {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [&](const T& element) { return element.*name == wanted; });
  if (found != elements.end()) {
    return *found;
  }
  elements.emplace_back();
  elements.back().*name = wanted;
  return elements.back();
}

// Rows are in order except where a run was resumed, which may repeat steps.
void sort_by_step(std::vector<Metric>& metrics) {
  for (Metric& metric : metrics) {
    for (PhasePoints& phase : metric.phases) {
      std::stable_sort(phase.points.begin(), phase.points.end(),
                       [](const CurvePoint& a, const CurvePoint& b) { return a.step < b.step; });
    }
  }
}

std::vector<Metric> metrics_in(const std::vector<MetricRow>& rows) {
  std::vector<Metric> metrics;
  std::vector<std::string> phases;
  for (const MetricRow& row : rows) {
    const auto phase = std::find(phases.begin(), phases.end(), row.phase);
    const auto color = static_cast<std::size_t>(phase - phases.begin());
    if (phase == phases.end()) {
      phases.push_back(row.phase);
    }
    for (const MetricValue& value : row.values) {
      Metric& metric = find_or_add(metrics, &Metric::name, value.name);
      PhasePoints& own = find_or_add(metric.phases, &PhasePoints::phase, row.phase);
      own.color = color;
      own.points.push_back({row.step, row.epoch, value.value * kind_of(value.name).factor});
    }
  }
  sort_by_step(metrics);
  return metrics;
}

void add_curves(const PhasePoints& phase, const MetricKind& kind, std::vector<Curve>& curves) {
  if (kind.is_noisy && phase.points.size() >= kFewestSmoothed) {
    curves.push_back({phase.phase, CurveStyle::kFaint, phase.color, thinned(phase.points, kMostCurvePoints)});
    curves.push_back({phase.phase + ", smoothed", CurveStyle::kLine, phase.color,
                      smoothed(phase.points, kMostCurvePoints)});
    return;
  }
  const bool is_marked = phase.color > 0 && phase.points.size() <= kMostDots;
  curves.push_back({phase.phase, is_marked ? CurveStyle::kDots : CurveStyle::kLine, phase.color,
                    thinned(phase.points, kMostCurvePoints)});
}

std::string note_of(const Metric& metric) {
  std::size_t count = 0;
  std::int64_t first = 0;
  for (const PhasePoints& phase : metric.phases) {
    for (const CurvePoint& point : phase.points) {
      if (!is_drawable(point.value)) {
        first = count == 0 ? point.step : std::min(first, point.step);
        ++count;
      }
    }
  }
  if (count == 0) {
    return "";
  }
  return count == 1 ? fmt::format("1 value is not finite, at step {}", grouped(first))
                    : fmt::format("{} values are not finite, the first at step {}",
                                  grouped(static_cast<std::int64_t>(count)), grouped(first));
}

// The last value; if there are several phases, that of the last one, which is not training.
std::string reading_of(const Metric& metric) {
  const PhasePoints& last = metric.phases.back();
  const std::string value = value_text(last.points.back().value);
  return metric.phases.size() > 1 ? last.phase + " " + value : value;
}

AxisRange steps_of(const std::vector<MetricRow>& rows) {
  const auto [first, last] = std::minmax_element(
      rows.begin(), rows.end(), [](const MetricRow& a, const MetricRow& b) { return a.step < b.step; });
  const auto low = static_cast<double>(first->step);
  const auto high = static_cast<double>(last->step);
  return {low > 0 && low <= high / 10 ? 0 : low, high};  // a run shown from its beginning starts at 0
}

LineChart chart_of(const Metric& metric, AxisRange steps) {
  const MetricKind kind = kind_of(metric.name);
  LineChart chart{.title = title_of(kind),
                  .unit = std::string(kind.unit),
                  .reading = reading_of(metric),
                  .note = note_of(metric),
                  .steps = steps,
                  .from_zero = kind.from_zero,
                  .may_be_logarithmic = kind.may_be_logarithmic,
                  .curves = {}};
  for (const PhasePoints& phase : metric.phases) {
    add_curves(phase, kind, chart.curves);
  }
  return chart;
}

bool is_all_zero(const Metric& metric) {
  return std::all_of(metric.phases.begin(), metric.phases.end(), [](const PhasePoints& phase) {
    return std::all_of(phase.points.begin(), phase.points.end(),
                       [](const CurvePoint& point) { return point.value == 0; });
  });
}

}  // namespace

MetricCharts metric_charts(const std::vector<MetricRow>& rows) {
  std::vector<Metric> metrics = metrics_in(rows);
  std::stable_sort(metrics.begin(), metrics.end(), [](const Metric& a, const Metric& b) {
    auto place = [](const Metric& metric) {
      const MetricKind* kind = known_kind(metric.name);
      return kind != nullptr ? kind - kMetricKinds.data() : std::ptrdiff_t{kMetricKinds.size()};
    };
    return place(a) < place(b);
  });
  MetricCharts charts;
  for (const Metric& metric : metrics) {
    const MetricKind kind = kind_of(metric.name);
    if (kind.only_if_not_zero && is_all_zero(metric)) {
      continue;
    }
    (kind.group == ChartGroup::kOutcome ? charts.outcome : charts.machinery)
        .push_back(chart_of(metric, steps_of(rows)));
  }
  return charts;
}

}  // namespace lockstep
