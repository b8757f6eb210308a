#include "observe/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

#include "base/duration_text.h"
#include "observe/html_text.h"
#include "observe/number_text.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostBars = 32;
constexpr double kBarWidth = 1000;
constexpr std::array<std::string_view, 6> kKnownParts = {"data",          "forward",   "backward",
                                                         "communication", "optimizer", "other"};

// Unknown parts share a colour, and are told apart by their names.
std::string part_class(std::string_view name) {
  const bool is_known = std::find(kKnownParts.begin(), kKnownParts.end(), name) != kKnownParts.end();
  return fmt::format("part-{}", is_known ? name : "own");
}

// Durations that no clock can have measured count as 0.
double sane_seconds(double seconds) {
  constexpr double kLongest = 1e9;
  return seconds > 0 && seconds < kLongest ? seconds : 0;
}

double total_seconds(const RankTimes& rank) {
  double total = 0;
  for (const MetricValue& part : rank.seconds) {
    total += sane_seconds(part.value);
  }
  return total;
}

std::string seconds_text(double seconds) {
  return duration_text(std::chrono::nanoseconds(std::llround(sane_seconds(seconds) * 1e9)));
}

std::string bar_svg(const RankTimes& rank, double longest) {
  std::string bars;
  double x = 0;
  for (const MetricValue& part : rank.seconds) {
    const double width = longest > 0 ? kBarWidth * sane_seconds(part.value) / longest : 0;
    bars +=
        fmt::format(R"(<rect class="{}" x="{:.2f}" width="{:.2f}" height="10"><title>{}: {}</title></rect>)",
                    part_class(part.name), x, width, html_escaped(part.name), seconds_text(part.value));
    x += width;
  }
  return fmt::format(
      R"(<svg viewBox="0 0 {} 10" preserveAspectRatio="none" role="img" aria-label="rank {}">{}</svg>)",
      kBarWidth, rank.rank, bars);
}

std::string bar_row(const RankTimes& rank, double longest) {
  return fmt::format(
      "<li><span class=\"who\">rank {}<small>{}</small></span>{}<span class=\"total\">{}</span></li>\n",
      rank.rank, html_escaped(rank.host), bar_svg(rank, longest), seconds_text(total_seconds(rank)));
}

// Each part with its mean over all ranks.
std::string parts_legend(const std::vector<RankTimes>& ranks) {
  std::vector<MetricValue> sums;
  for (const RankTimes& rank : ranks) {
    for (const MetricValue& part : rank.seconds) {
      const auto known = std::find_if(sums.begin(), sums.end(),
                                      [&part](const MetricValue& sum) { return sum.name == part.name; });
      if (known == sums.end()) {
        sums.push_back({part.name, sane_seconds(part.value)});
      } else {
        known->value += sane_seconds(part.value);
      }
    }
  }
  std::string text = R"(<ul class="legend">)";
  for (const MetricValue& sum : sums) {
    text += fmt::format(R"(<li><i class="box {}"></i>{} <b>{}</b></li>)", part_class(sum.name),
                        html_escaped(sum.name), seconds_text(sum.value / static_cast<double>(ranks.size())));
  }
  return text + "</ul>\n";
}

std::vector<RankTimes> slowest(std::vector<RankTimes> ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankTimes& a, const RankTimes& b) {
    return total_seconds(a) > total_seconds(b);
  });
  ranks.resize(kMostBars);
  return ranks;
}

}  // namespace

std::string render_step_times(const std::vector<RankTimes>& ranks) {
  if (ranks.empty()) {
    return "";
  }
  const bool is_cut = ranks.size() > kMostBars;
  const std::vector<RankTimes> shown = is_cut ? slowest(ranks) : ranks;
  double longest = 0;
  for (const RankTimes& rank : shown) {
    longest = std::max(longest, total_seconds(rank));
  }
  std::string text =
      "<figure class=\"card steps\">\n<figcaption><span class=\"name\">Time of a step</span>"
      "<span class=\"unit\">mean of each rank</span></figcaption>\n" +
      parts_legend(ranks) + "<ol class=\"bars\">\n";
  for (const RankTimes& rank : shown) {
    text += bar_row(rank, longest);
  }
  text += "</ol>\n";
  if (is_cut) {
    text += fmt::format("<p class=\"note\">the {} slowest of {} ranks</p>\n", kMostBars,
                        grouped(static_cast<std::int64_t>(ranks.size())));
  }
  return text + "</figure>\n";
}

}  // namespace lockstep
