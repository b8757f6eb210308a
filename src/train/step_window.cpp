#include "train/step_window.h"

#include <algorithm>
#include <vector>

namespace lockstep::train {

void add_step(StepSums& sums, const StepInfo& info) {
  const auto samples = static_cast<double>(info.samples);
  std::vector<MetricValue> values = {{"loss", info.loss}};
  values.insert(values.end(), info.metrics.begin(), info.metrics.end());
  if (sums.sums.empty()) {
    for (const MetricValue& value : values) {
      sums.sums.push_back({value.name, 0});
    }
  }
  // Every batch has the same metrics, but a checkpoint of another task may differ.
  for (std::size_t i = 0; i < std::min(values.size(), sums.sums.size()); ++i) {
    sums.sums[i].value += values[i].value * samples;
  }
  ++sums.steps;
  sums.samples += samples;
}

bool ends_window(std::int64_t step, std::int64_t steps, std::int64_t log_every) {
  return step % log_every == 0 || step == steps;
}

void StepWindow::add(const StepInfo& info) {
  add_step(sums_, info);
  timed_samples_ += static_cast<double>(info.samples);
  seconds_ += info.seconds.total();
  communication_ += info.seconds.communication;
  data_ += info.seconds.data;
  last_ = info;
}

double StepWindow::samples_per_second() const {
  return seconds_ > 0 ? timed_samples_ / seconds_ : 0;
}
double StepWindow::communication_share() const {
  return seconds_ > 0 ? communication_ / seconds_ : 0;
}
double StepWindow::data_share() const {
  return seconds_ > 0 ? data_ / seconds_ : 0;
}

MetricRow StepWindow::row(double seconds) const {
  MetricRow row{
      .phase = "train", .step = last_->step, .epoch = last_->epoch, .seconds = seconds, .values = {}};
  for (const MetricValue& sum : sums_.sums) {
    row.values.push_back({sum.name, sum.value / sums_.samples});
  }
  row.values.push_back({"learning_rate", last_->learning_rate});
  row.values.push_back({"gradient_norm", last_->gradient_norm});
  row.values.push_back({"samples_per_second", samples_per_second()});
  row.values.push_back({"communication_share", communication_share()});
  row.values.push_back({"data_share", data_share()});
  return row;
}

void StepWindow::clear() {
  *this = StepWindow();
}

}  // namespace lockstep::train
