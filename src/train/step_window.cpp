#include "train/step_window.h"

namespace lockstep::train {

void StepWindow::add(const StepInfo& info) {
  const auto samples = static_cast<double>(info.samples);
  std::vector<MetricValue> values = {{"loss", info.loss}};
  values.insert(values.end(), info.metrics.begin(), info.metrics.end());
  if (sums_.empty()) {
    for (const MetricValue& value : values) {
      sums_.push_back({value.name, 0});
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums_[i].value += values[i].value * samples;
  }
  ++steps_;
  samples_ += samples;
  seconds_ += info.seconds.total();
  communication_ += info.seconds.communication;
  data_ += info.seconds.data;
  last_ = info;
}

double StepWindow::samples_per_second() const {
  return seconds_ > 0 ? samples_ / seconds_ : 0;
}
double StepWindow::communication_share() const {
  return seconds_ > 0 ? communication_ / seconds_ : 0;
}
double StepWindow::data_share() const {
  return seconds_ > 0 ? data_ / seconds_ : 0;
}

MetricRow StepWindow::row(double seconds) const {
  MetricRow row{.phase = "train", .step = last_.step, .epoch = last_.epoch, .seconds = seconds, .values = {}};
  for (const MetricValue& sum : sums_) {
    row.values.push_back({sum.name, sum.value / samples_});
  }
  row.values.push_back({"learning_rate", last_.learning_rate});
  row.values.push_back({"gradient_norm", last_.gradient_norm});
  row.values.push_back({"samples_per_second", samples_per_second()});
  row.values.push_back({"communication_share", communication_share()});
  row.values.push_back({"data_share", data_share()});
  return row;
}

void StepWindow::clear() {
  *this = StepWindow();
}

}  // namespace lockstep::train
