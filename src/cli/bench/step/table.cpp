#include "cli/bench/step/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/bench/time_text.h"

namespace lockstep::bench::step {
namespace {

constexpr int kNameWidth = 22;
constexpr int kNumberWidth = 9;
constexpr int kMemoryWidth = 13;

std::string case_table(const Report& report, const TrainingCase& training) {
  std::string text =
      fmt::format("{0:<{1}}{2:>{5}}{3:>{5}}{4:>{5}}{6:>{8}}{7:>{8}}\n", to_string(training), kNameWidth,
                  "median ms", "p10", "p90", kNumberWidth, "peak RSS MB", "in all MB", kMemoryWidth);
  for (const Result& result : report.results) {
    if (result.training == training) {
      text += fmt::format("{0:<{1}}{2:>{5}}{3:>{5}}{4:>{5}}{6:>{8}.0f}{7:>{8}.0f}\n",
                          to_string(result.variant), kNameWidth, time_text(result.step.median_ms),
                          time_text(result.step.p10_ms), time_text(result.step.p90_ms), kNumberWidth,
                          result.step.peak_rss_mb, result.step.total_memory_mb, kMemoryWidth);
    }
  }
  return text;
}

int ratio_width(const TrainingCase& training) {
  return std::max(kNumberWidth, static_cast<int>(to_string(training).size()) + 2);
}

std::string bar_text(const Ratio& ratio, const std::optional<double>& mean) {
  const std::string outcome = !mean ? "not measured" : reaches(ratio, *mean) ? "reached" : "not reached";
  return fmt::format("at {} {:.2f}: {}", ratio.at_least ? "least" : "most", ratio.limit, outcome);
}

// The mean has one digit more than the rest, so that a limit that was just missed does not look reached.
std::string ratio_table(const Report& report) {
  const auto cell = [](const std::optional<double>& value, int width, int decimals) {
    return fmt::format("{:>{}}", value ? fmt::format("{:.{}f}", *value, decimals) : "-", width);
  };
  std::string text = fmt::format("{:<{}}", "ratio", kNameWidth);
  for (const TrainingCase& training : report.cases()) {
    text += fmt::format("{:>{}}", to_string(training), ratio_width(training));
  }
  text += fmt::format("{:>{}}  geometric mean over the cases\n", "mean", kNumberWidth);
  for (const Ratio& ratio : kRatios) {
    text += fmt::format("{:<{}}", ratio.name, kNameWidth);
    for (const TrainingCase& training : report.cases()) {
      text += cell(report.ratio(training, ratio), ratio_width(training), 3);
    }
    const auto mean = report.geometric_mean(ratio);
    text += fmt::format("{}  {}\n", cell(mean, kNumberWidth, 4), bar_text(ratio, mean));
  }
  return text;
}

}  // namespace

std::string render_table(const Report& report) {
  std::string text = fmt::format(
      "training step: zero_grad, forward, loss, backward, SGD with momentum; the slowest rank's time, {} "
      "round{}\n\n",
      report.rounds, report.rounds == 1 ? "" : "s");
  for (const TrainingCase& training : report.cases()) {
    text += case_table(report, training) + "\n";
  }
  text += ratio_table(report) + "\n";
  for (const Ratio& ratio : kRatios) {
    text += fmt::format("{:<{}}{}\n", ratio.name, kNameWidth, formula(ratio));
  }
  text += "\n" + machine_lines(report.machine);
  text += report.ping_pong ? ping_pong_line(*report.ping_pong) : "";
  text += fmt::format("versions   {}\n", fmt::join(report.versions, ", "));
  return text + left_out_lines(report.left_out);
}

}  // namespace lockstep::bench::step
