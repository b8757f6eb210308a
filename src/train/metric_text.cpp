#include "train/metric_text.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <cstdio>

#include "base/duration_text.h"
#include "observe/number_text.h"

namespace lockstep::train {
namespace {

template <class Number>
std::string formatted(const char* format, Number number) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, number)), ' ');
  std::snprintf(text.data(), text.size() + 1, format, number);
  return text;
}

std::string seconds_text(double seconds) {
  return duration_text(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
}

std::string list_text(const std::vector<MetricValue>& metrics) {
  std::string text;
  for (const MetricValue& metric : metrics) {
    text += c10::str(text.empty() ? "" : ", ", metric.name, " ", metric_text(metric.name, metric.value));
  }
  return text;
}

// 3 as "3", 2.5 as "2.50"
std::string epochs_text(double epochs) {
  return epochs == std::floor(epochs) ? formatted("%.0f", epochs) : formatted("%.2f", epochs);
}

double speed(const Summary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.samples) / summary.seconds : 0;
}

}  // namespace

std::string metric_text(std::string_view name, double value) {
  if (name == "accuracy" && value >= 0 && value <= 1) {
    return formatted("%.2f %%", 100 * value);
  }
  return std::isnan(value) ? "nan" : formatted("%.4g", value);  // the sign of a NaN means nothing
}

std::string begin_text(const RunInfo& info) {
  const std::string what =
      c10::str("training ", grouped(info.parameters), " parameters for ", grouped(info.steps), " steps, ",
               grouped(info.steps_per_epoch), " an epoch; ", info.batches);
  return info.resumed_from.empty()
             ? what
             : c10::str(what, "; resumed after step ", grouped(info.steps_done), " from ", info.resumed_from);
}

std::string evaluation_text(const EvaluationInfo& info) {
  return c10::str("evaluation after epoch ", epochs_text(info.epoch), ": ", list_text(info.metrics),
                  info.is_best ? " (best so far)" : "", ", ", seconds_text(info.seconds));
}

std::string summary_text(const Summary& summary) {
  std::string text = c10::str("trained ", epochs_text(summary.epochs),
                              summary.epochs == 1 ? " epoch, " : " epochs, ", summary.steps, " steps in ",
                              seconds_text(summary.seconds), " (", speed_text(speed(summary)), ")");
  if (!summary.evaluation.empty()) {
    text += "; evaluation: " + list_text(summary.evaluation);
  }
  if (summary.skipped_steps > 0) {
    text += c10::str("; ", summary.skipped_steps,
                     summary.skipped_steps == 1 ? " step was skipped" : " steps were skipped");
  }
  if (!summary.paused.empty()) {
    return text + "; saved and left: " + summary.paused;
  }
  return summary.stopped.empty() ? text : text + "; stopped early: " + summary.stopped;
}

std::vector<std::pair<std::string, std::string>> summary_entries(const Summary& summary) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const MetricValue& metric : summary.evaluation) {
    entries.emplace_back("final " + metric.name, metric_text(metric.name, metric.value));
  }
  if (!summary.best.empty()) {
    entries.emplace_back("best at step", c10::str(summary.best_step));
  }
  entries.emplace_back("throughput", speed_text(speed(summary)));
  entries.emplace_back("time", seconds_text(summary.seconds));
  if (summary.skipped_steps > 0) {
    entries.emplace_back("skipped steps", c10::str(summary.skipped_steps));
  }
  return entries;
}

}  // namespace lockstep::train
