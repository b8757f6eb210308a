#include "cli/bench/scaling/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/bench/time_text.h"
#include "cli/doctor/size_text.h"

namespace lockstep::bench::scaling {
namespace {

constexpr double kMega = 1e6;

std::string ranks_text(int ranks) {
  return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
}

std::string millions_text(std::int64_t parameters) {
  return fmt::format("{:.1f} M", static_cast<double>(parameters) / kMega);
}

std::string headings(const Report& report, int ranks) {
  std::string text = ranks_text(ranks);
  if (ranks > report.machine.cores) {
    text += fmt::format(" on {}: oversubscribed, a step has the time of the other ranks of its core in it",
                        cores_text(report.machine));
  }
  return text + fmt::format("\n{:>10}{:>12}{:>12}{:>12}{:>12}{:>9}{:>9}{:>10}{:>13}{:>11}\n", "parameters",
                            "compute ms", "no-comm ms", "step ms", "outside ms", "share", "comm", "ns/param",
                            "peak RSS MB", "in all MB");
}

std::string row(const Result& result) {
  const auto parameters = static_cast<double>(result.point.parameters);
  return fmt::format("{:>10}{:>12}{:>12}{:>12}{:>12}{:>7.1f} %{:>7.1f} %{:>10.2f}{:>13.0f}{:>11.0f}\n",
                     millions_text(result.point.parameters), time_text(result.compute_ms),
                     time_text(result.no_comm_ms), time_text(result.step.median_ms),
                     time_text(result.outside_ms()), 100 * result.outside_share(),
                     100 * result.communication_share(), result.outside_ms() * kMega / parameters,
                     result.step.peak_rss_mb, result.step.total_memory_mb);
}

std::string verdict(const std::optional<bool>& linear) {
  return !linear   ? "no verdict, since this machine does not tell the size of its caches"
         : *linear ? "linear or less"
                   : "more than linear";
}

std::string no_power_line(const Growth& growth) {
  const auto fit = std::count_if(growth.unfitted.begin(), growth.unfitted.end(),
                                 [](const UnfittedSize& size) { return size.reason == Unfit::kTooFew; });
  const std::string from =
      growth.least_parameters
          ? fmt::format(" from {:.0f} M on", std::ceil(static_cast<double>(*growth.least_parameters) / kMega))
          : "";
  return fmt::format(
      "  time outside compute: no verdict, {} of {} sizes can be fitted and it takes {}; name more{} with "
      "--parameters\n",
      fit, growth.unfitted.size(), kFewestSizes, from);
}

std::string power_line(const Growth& growth) {
  if (!growth.time) {
    return no_power_line(growth);
  }
  return fmt::format(
      "  time outside compute grows with parameters to the power of {:.3f} (+- {:.3f}), through {} of {} "
      "sizes: {}\n",
      growth.time->slope, growth.time->slope_error, growth.fitted.size(),
      growth.fitted.size() + growth.unfitted.size(), verdict(growth.linear));
}

std::string not_fitted_line(const Growth& growth, Unfit reason, std::string_view explanation) {
  std::string sizes;
  for (const UnfittedSize& size : growth.unfitted) {
    if (size.reason == reason) {
      sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", millions_text(size.parameters));
    }
  }
  return sizes.empty() ? "" : fmt::format("  not fitted: {}: {}\n", sizes, explanation);
}

std::string growth_lines(const Report& report, const Growth& growth) {
  std::string text = power_line(growth);
  text +=
      not_fitted_line(growth, Unfit::kInCache,
                      fmt::format("parameters, gradients and momentum are less than {} times the last-level "
                                  "cache of {}",
                                  kCacheFactor, doctor::size_text(report.cache_bytes.value_or(0))));
  text += not_fitted_line(growth, Unfit::kNoTime, "a step took no longer than its computation");
  if (growth.memory) {
    text += fmt::format(
        "  memory in all is {:.0f} MB and {:.2f} bytes (+- {:.2f}) for each parameter on each rank\n",
        growth.memory->at_zero / kMega, growth.memory->slope / growth.ranks,
        growth.memory->slope_error / growth.ranks);
  }
  return text;
}

std::string drift_line(std::string_view name, const Drift& drift, double limit) {
  return fmt::format(
      "  {:<9} {:>9} in the first quarter, {:>9} in the last: ratio {:.4f}, {}; trend {:+.2f} % (+- {:.2f} "
      "%)\n",
      name, time_text(drift.first_quarter), time_text(drift.last_quarter), drift.ratio(),
      drift.ratio() <= limit ? "flat" : fmt::format("not flat, that is at most {:.2f}", limit),
      100 * drift.change, 100 * drift.change_error);
}

std::string endurance_lines(const Report& report) {
  if (!report.endurance) {
    return "";
  }
  const Endurance& run = *report.endurance;
  return fmt::format("{} steps of {}, {} parameters, in {} windows\n", run.steps, ranks_text(run.point.ranks),
                     millions_text(run.point.parameters), report.windows.size()) +
         drift_line("step ms", run.time_ms, kFlatTime) + drift_line("memory MB", run.memory_mb, kFlatMemory) +
         "\n";
}

}  // namespace

std::string render_table(const Report& report) {
  std::string text = fmt::format(
      "training step of an mlp, batch {} per rank, with {}; medians of the slowest rank, {} round{}\n\n",
      report.batch, report.method, report.rounds, report.rounds == 1 ? "" : "s");
  for (const Growth& growth : report.growth) {
    text += headings(report, growth.ranks);
    for (const Result& result : report.results) {
      if (result.point.ranks == growth.ranks) {
        text += row(result);
      }
    }
    text += growth_lines(report, growth) + "\n";
  }
  text += endurance_lines(report);
  text +=
      "compute    forward and backward of ranks that do not communicate\n"
      "no-comm    the same and the update of torch::optim, each rank for itself\n"
      "outside    step - compute: averaging, update, handing out the parameters; share of the step\n"
      "comm       1 - no-comm / step; below zero where sharing the update saves more than communication "
      "costs\n";
  text += machine_lines(report.machine);
  text += fmt::format("versions   {}\n", report.version);
  return text + left_out_lines(report.left_out);
}

}  // namespace lockstep::bench::scaling
