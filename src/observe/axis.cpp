#include "observe/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "observe/number_text.h"

namespace lockstep {
namespace {

constexpr double kIntervals = 5;       // about as many as fit
constexpr int kMostDecades = 6;        // each with a label
constexpr int kDecadesWithDigits = 3;  // at most this many decades get digits in between
constexpr double kSmallest = 1e-300;   // smaller values have no decade of their own
constexpr double kNarrow = 1e-9;       // relative to the values: less is rounding, not a range

struct Magnitude {
  double size;
  std::string_view suffix;
};
constexpr std::array<Magnitude, 4> kMagnitudes = {{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};

// 1, 2 or 5 times a power of ten.
double round_interval(double span) {
  const double rough = span / kIntervals;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return power * (digit <= 1.2 ? 1 : digit <= 2.5 ? 2 : digit <= 6 ? 5 : 10);
}

int decimals_of(double interval) {
  return std::max(0, static_cast<int>(-std::floor(std::log10(interval) + 1e-9)));
}

// "3e-4" for "3e-04".
std::string without_padding(const std::string& exponent_form) {
  const auto e = exponent_form.find('e');
  const int exponent = std::stoi(exponent_form.substr(e + 1));
  return fmt::format("{}e{}", exponent_form.substr(0, e), exponent);
}

std::string tick_label(double value, double interval, double largest) {
  if (value == 0) {
    return "0";
  }
  if (largest >= 1e15 || largest < 1e-3) {
    const int digits =
        static_cast<int>(std::floor(std::log10(std::abs(value))) - std::floor(std::log10(interval)));
    return without_padding(fmt::format("{:.{}e}", value, std::clamp(digits, 0, 6)));
  }
  if (largest >= 1e4) {
    const auto* magnitude = std::find_if(kMagnitudes.begin(), kMagnitudes.end(),
                                         [largest](const Magnitude& m) { return largest >= m.size; });
    const double shown = interval / magnitude->size;
    return fmt::format("{:.{}f}{}", value / magnitude->size, decimals_of(shown), magnitude->suffix);
  }
  const int decimals = decimals_of(interval);
  return decimals == 0 ? grouped(std::llround(value)) : fmt::format("{:.{}f}", value, decimals);
}

AxisRange with_width(AxisRange range, AxisScale scale) {
  if (scale == AxisScale::kLogarithmic) {
    range.low = std::max(range.low, kSmallest);
    return range.high > range.low * (1 + kNarrow) ? range : AxisRange{range.low / 2, range.low * 2};
  }
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low > std::max(largest * kNarrow, kSmallest)) {
    return range;
  }
  const double margin = largest > kSmallest ? largest * 0.1 : 1;
  return {range.low - margin, range.high + margin};
}

std::vector<Tick> linear_ticks(AxisRange range, double interval) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  std::vector<Tick> ticks;
  // Counted in intervals: summing them would accumulate their errors.
  const double first = std::ceil(range.low / interval - kNarrow);
  const double last = std::floor(range.high / interval + kNarrow);
  for (double count = first; count <= last; ++count) {
    const double value = count == 0 ? 0.0 : count * interval;
    ticks.push_back({value, tick_label(value, interval, largest)});
  }
  return ticks;
}

std::string log_label(double value) {
  if (value >= 1e-3 && value < 1e4) {
    return value < 1 ? fmt::format("{:g}", value) : grouped(std::llround(value));
  }
  return without_padding(fmt::format("{:.0e}", value));
}

// The round numbers of a logarithmic axis in order: index 0 is 1, then 2, 5, 10, ...; -1 is 0.5.
double log_number(int index) {
  constexpr std::array<double, 3> kDigits = {1, 2, 5};
  const int decade = static_cast<int>(std::floor(index / 3.0));
  return kDigits[static_cast<std::size_t>(index - 3 * decade)] * std::pow(10, decade);
}

int log_number_below(double value) {
  int index = 3 * static_cast<int>(std::floor(std::log10(value)));
  while (log_number(index + 1) <= value * (1 + kNarrow)) {
    ++index;
  }
  return index;
}

int log_number_above(double value) {
  int index = log_number_below(value);
  while (log_number(index) < value * (1 - kNarrow)) {
    ++index;
  }
  return index;
}

// Powers of ten; if there are many, only every second or so, if there are few, with 2 and 5 in between.
std::vector<Tick> log_ticks(AxisRange range) {
  const int first = log_number_above(range.low);
  const int last = log_number_below(range.high);
  const int decades = (last - first) / 3;
  const int stride = decades <= kDecadesWithDigits ? 1 : 3 * (decades / kMostDecades + 1);
  std::vector<Tick> ticks;
  for (int index = first; index <= last; ++index) {
    if (index % stride == 0) {
      ticks.push_back({log_number(index), log_label(log_number(index))});
    }
  }
  return ticks;
}

AxisRange to_log_numbers(AxisRange range) {
  return {log_number(log_number_below(range.low)), log_number(log_number_above(range.high))};
}

AxisRange to_intervals(AxisRange range, double interval) {
  return {std::floor(range.low / interval + kNarrow) * interval,
          std::ceil(range.high / interval - kNarrow) * interval};
}

}  // namespace

Axis::Axis(AxisRange range, AxisScale scale, std::vector<Tick> ticks)
    : range_(range), scale_(scale), ticks_(std::move(ticks)) {}

Axis Axis::of_steps(AxisRange range) {
  range = with_width(range, AxisScale::kLinear);
  const double interval = std::max(1.0, round_interval(range.high - range.low));
  return {range, AxisScale::kLinear, linear_ticks(range, interval)};
}

Axis Axis::around(AxisRange range, AxisScale scale) {
  range = with_width(range, scale);
  if (scale == AxisScale::kLogarithmic) {
    range = to_log_numbers(range);
    return {range, scale, log_ticks(range)};
  }
  const double interval = round_interval(range.high - range.low);
  range = to_intervals(range, interval);
  return {range, scale, linear_ticks(range, interval)};
}

double Axis::place(double value) const {
  if (scale_ == AxisScale::kLogarithmic) {
    const double low = std::log(range_.low);
    return (std::log(std::max(value, kSmallest)) - low) / (std::log(range_.high) - low);
  }
  return (value - range_.low) / (range_.high - range_.low);
}

}  // namespace lockstep
