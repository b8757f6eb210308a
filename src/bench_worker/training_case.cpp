#include "bench_worker/training_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

std::vector<int> usual_batches(Model model) {
  switch (model) {
    case Model::kMlp:
      return {32, 128};
    case Model::kGpt:
      return {2, 8};
    case Model::kResNet18:
      return {8};
    case Model::kMlpTiny:
      return {2};
  }
  return {};
}

Model parse_model(std::string_view text) {
  const auto* const found = std::find_if(kModels.begin(), kModels.end(),
                                         [&](const Model model) { return to_string(model) == text; });
  if (found == kModels.end()) {
    throw Error(ErrorCode::kInvalidConfig,
                fmt::format("there is no model '{}'; there are mlp, gpt and resnet18", text));
  }
  return *found;
}

int parse_batch(std::string_view text) {
  int batch = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), batch);
  if (error != std::errc() || end != text.data() + text.size() || batch < 1 || batch > kLargestBatch) {
    throw Error(ErrorCode::kInvalidConfig,
                fmt::format("'{}' is not a batch size from 1 to {}", text, kLargestBatch));
  }
  return batch;
}

}  // namespace

std::string_view to_string(Model model) {
  switch (model) {
    case Model::kMlp:
      return "mlp";
    case Model::kGpt:
      return "gpt";
    case Model::kResNet18:
      return "resnet18";
    case Model::kMlpTiny:
      return "mlp-tiny";
  }
  return "?";
}

bool has_batch_norm(Model model) {
  return model == Model::kResNet18;
}

std::string to_string(const TrainingCase& training) {
  return fmt::format("{}:{}", to_string(training.model), training.batch);
}

std::vector<TrainingCase> parse_training_cases(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Model model = parse_model(text.substr(0, colon));
  if (colon != std::string_view::npos) {
    return {{.model = model, .batch = parse_batch(text.substr(colon + 1))}};
  }
  std::vector<TrainingCase> cases;
  for (const int batch : usual_batches(model)) {
    cases.push_back({.model = model, .batch = batch});
  }
  return cases;
}

}  // namespace lockstep::bench
