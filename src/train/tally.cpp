#include "train/tally.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "lockstep/error.h"
#include "train/text_exchange.h"

namespace lockstep::train {
namespace {

std::vector<std::string> names_of(const std::vector<MetricSum>& metrics) {
  std::vector<std::string> names;
  for (const MetricSum& metric : metrics) {
    names.push_back(metric.name);
  }
  return names;
}

std::string join(const std::vector<std::string>& names, std::string_view separator) {
  std::string text;
  for (const std::string& name : names) {
    text.append(text.empty() ? "" : separator).append(name);
  }
  return text;
}

}  // namespace

std::vector<MetricValue> Totals::all() const {
  std::vector<MetricValue> values = {{"loss", loss}};
  values.insert(values.end(), metrics.begin(), metrics.end());
  return values;
}

void Tally::require_names(const std::vector<MetricSum>& metrics) const {
  const std::vector<std::string> names = names_of(metrics);
  if (names != names_) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("the metrics of a batch in ", phase_, " are '", join(names, ", "),
                         "', and those of the first were '", join(names_, ", "),
                         "': every batch has to have the same, in the same order"));
  }
}

void Tally::add(double loss, double weight, const std::vector<MetricSum>& metrics) {
  if (!has_names_) {
    names_ = names_of(metrics);
    has_names_ = true;
    sums_.resize(2 + 2 * names_.size());
  }
  require_names(metrics);
  sums_[0] += loss * weight;
  sums_[1] += weight;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    sums_[2 + 2 * i] += metrics[i].sum;
    sums_[3 + 2 * i] += metrics[i].count;
  }
}

void Tally::agree_on_names(Communicator& communicator) {
  const std::vector<std::string> names =
      lines_of(broadcast_text(join(names_, "\n"), "metric names", communicator));
  if (has_names_ && names != names_) {
    throw Error(ErrorCode::kMismatch, c10::str("the metrics in ", phase_, " are '", join(names_, ", "),
                                               "' here and '", join(names, ", "), "' on rank 0"));
  }
  names_ = names;
  has_names_ = agreed_ = true;
  sums_.resize(2 + 2 * names_.size());
}

Totals Tally::reduce(Communicator& communicator, Flags flags) {
  if (!agreed_) {
    agree_on_names(communicator);
  }
  sums_.insert(sums_.end(), flags.counts().begin(), flags.counts().end());
  communicator.all_reduce(sums_, ReduceOp::kSum, {.label = "losses and metrics"});
  std::copy(sums_.end() - Flags::kCount, sums_.end(), flags.counts().begin());
  Totals totals{.loss = sums_[0] / sums_[1], .metrics = {}, .flags = flags};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    totals.metrics.push_back({names_[i], sums_[2 + 2 * i] / sums_[3 + 2 * i]});
  }
  sums_.assign(2 + 2 * names_.size(), 0);
  return totals;
}

}  // namespace lockstep::train
