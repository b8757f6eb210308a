#include "cli/bench/step/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::bench::step {
namespace {

constexpr int kCaseWidth = 14;
constexpr int kLeastWidth = 9;
constexpr int kRatioWidth = 10;

int width_of(Variant variant) {
  return std::max(kLeastWidth, static_cast<int>(to_string(variant).size())) + 2;
}

// Three digits or more: "0.123", "4.56", "78.9", "1234".
std::string time_text(double time_ms) {
  const int decimals = time_ms < 1 ? 3 : time_ms < 10 ? 2 : time_ms < 1000 ? 1 : 0;
  return fmt::format("{:.{}f}", time_ms, decimals);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return fmt::format("{:>{}}", ratio ? fmt::format("{:.3f}", *ratio) : "-", kRatioWidth);
}

std::string variant_headings(const Report& report, std::string_view first) {
  std::string text = fmt::format("{:<{}}", first, kCaseWidth);
  for (const Variant variant : report.variants()) {
    text += fmt::format("{:>{}}", to_string(variant), width_of(variant));
  }
  return text;
}

// A row of variants; `number` turns a result into a cell.
template <class Number>
std::string variant_cells(const Report& report, const TrainingCase& training, Number number) {
  std::string text = fmt::format("{:<{}}", to_string(training), kCaseWidth);
  for (const Variant variant : report.variants()) {
    const Result* result = report.find(training, variant);
    text += fmt::format("{:>{}}", result != nullptr ? number(*result) : "-", width_of(variant));
  }
  return text;
}

std::string time_table(const Report& report) {
  std::string text = variant_headings(report, "median, ms");
  for (const Ratio ratio : kRatios) {
    text += fmt::format("{:>{}}", to_string(ratio), kRatioWidth);
  }
  text += "\n";
  for (const TrainingCase& training : report.cases()) {
    text += variant_cells(report, training, [](const Result& result) { return time_text(result.median_ms); });
    for (const Ratio ratio : kRatios) {
      text += ratio_text(report.ratio(training, ratio));
    }
    text += "\n";
  }
  int width = kCaseWidth;
  for (const Variant variant : report.variants()) {
    width += width_of(variant);
  }
  text += fmt::format("{:<{}}", "geometric mean", width);
  for (const Ratio ratio : kRatios) {
    text += ratio_text(report.geometric_mean(ratio));
  }
  return text + "\n";
}

std::string memory_table(const Report& report) {
  std::string text = variant_headings(report, "peak RSS, MB") + "\n";
  for (const TrainingCase& training : report.cases()) {
    text += variant_cells(report, training,
                          [](const Result& result) { return fmt::format("{:.0f}", result.peak_rss_mb); }) +
            "\n";
  }
  return text;
}

// With a digit more than the table, so that a bar that was just missed does not look as if it was reached.
std::string bar_line(const Report& report, const Bar& bar) {
  const auto value = report.geometric_mean(bar.ratio);
  const std::string outcome = !value                 ? "not measured"
                              : reaches(bar, *value) ? fmt::format("{:.4f}x, reached", *value)
                                                     : fmt::format("{:.4f}x, not reached", *value);
  return fmt::format("{:<11}at {} {:.2f}x: {}\n", to_string(bar.ratio), bar.at_least ? "least" : "most",
                     bar.limit, outcome);
}

}  // namespace

std::string render_table(const Report& report) {
  std::string text = fmt::format(
      "training step: zero_grad, forward, loss, backward, SGD with momentum; the slower rank's time, {} "
      "round{}\n\n",
      report.rounds, report.rounds == 1 ? "" : "s");
  text += time_table(report) + "\n" + memory_table(report) + "\n";
  for (const Ratio ratio : kRatios) {
    text += fmt::format("{:<11}{}\n", to_string(ratio), formula(ratio));
  }
  text += machine_lines(report.machine);
  text += fmt::format("versions   {}\n", fmt::join(report.versions, ", "));
  for (const std::string& line : report.left_out) {
    text += fmt::format("left out   {}\n", line);
  }
  text += "\n";
  for (const Bar& bar : kBars) {
    text += bar_line(report, bar);
  }
  return text;
}

}  // namespace lockstep::bench::step
