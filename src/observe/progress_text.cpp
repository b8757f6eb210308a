#include "observe/progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "config/printable.h"
#include "observe/number_text.h"

namespace lockstep {
namespace {

constexpr std::string_view kFieldGap = "  ";

// In the order in which fields are dropped when the line is too narrow.
enum class Importance { kShares, kLearningRate, kMetrics, kSpeed, kEpoch, kEta, kLoss, kStep };

struct Field {
  Importance importance;
  std::string text;
};

// In UTF-8, continuation bytes take no column.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string cut_to(std::string_view text, std::size_t columns) {
  std::size_t end = text.size();
  while (columns_of(text.substr(0, end)) > columns) {
    --end;
  }
  return std::string(text.substr(0, end));
}

// The current epoch, counted from 1; at its very end it is still this one.
std::string epoch_text(double epoch, double epochs) {
  const double current = std::max(1.0, std::ceil(epoch));
  return epochs > 0
             ? fmt::format("epoch {:.0f}/{:.0f}", std::min(current, std::ceil(epochs)), std::ceil(epochs))
             : fmt::format("epoch {:.0f}", current);
}

std::string step_text(std::int64_t step, std::int64_t steps) {
  return steps > 0 ? fmt::format("step {}/{}", grouped(step), grouped(steps))
                   : fmt::format("step {}", grouped(step));
}

std::string percent_text(std::string_view name, double share) {
  return fmt::format("{} {:.0f} %", name, share * 100);
}

std::string metric_text(const MetricValue& metric) {
  if (metric.name == "accuracy") {
    return fmt::format("accuracy {:.1f} %", metric.value * 100);
  }
  return fmt::format("{} {}", config::printable(metric.name), value_text(metric.value));
}

std::string eta_text(std::chrono::seconds eta) {
  const auto seconds = std::max<std::int64_t>(0, eta.count());
  return fmt::format("ETA {}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60);
}

std::vector<Field> fields_of(const ProgressState& state) {
  std::vector<Field> fields = {{Importance::kEpoch, epoch_text(state.epoch, state.epochs)},
                               {Importance::kStep, step_text(state.step, state.steps)},
                               {Importance::kLoss, fmt::format("loss {}", value_text(state.loss))}};
  for (const MetricValue& metric : state.metrics) {
    fields.push_back({Importance::kMetrics, metric_text(metric)});
  }
  fields.push_back({Importance::kLearningRate, fmt::format("lr {:.1e}", state.learning_rate)});
  fields.push_back({Importance::kSpeed, speed_text(state.samples_per_second)});
  fields.push_back({Importance::kShares, percent_text("comm", state.communication_share)});
  fields.push_back({Importance::kShares, percent_text("data", state.data_share)});
  if (state.eta) {
    fields.push_back({Importance::kEta, eta_text(*state.eta)});
  }
  return fields;
}

std::string joined(const std::vector<Field>& fields) {
  std::string line;
  for (const Field& field : fields) {
    line += (line.empty() ? "" : std::string(kFieldGap)) + field.text;
  }
  return line;
}

// Drops the last of the least important fields.
void drop_one(std::vector<Field>& fields) {
  const auto least = std::min_element(fields.rbegin(), fields.rend(), [](const Field& a, const Field& b) {
    return a.importance < b.importance;
  });
  fields.erase(std::next(least).base());
}

}  // namespace

std::string progress_text(const ProgressState& state, std::size_t columns) {
  std::vector<Field> fields = fields_of(state);
  std::string line = joined(fields);
  while (columns_of(line) > columns && fields.size() > 1) {
    drop_one(fields);
    line = joined(fields);
  }
  return cut_to(line, columns);
}

}  // namespace lockstep
