#pragma once

// What `lockstep bench step` trains: a model with a batch size. Known to the coordinator and the workers; only the
// workers know the structure of the models.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::bench {

enum class Model {
  kMlp,
  kGpt,
  kResNet18,
  kMlpTiny,  // for tests: takes almost no time
};

inline constexpr std::array kModels = {Model::kMlp, Model::kGpt, Model::kResNet18, Model::kMlpTiny};

std::string_view to_string(Model model);  // "mlp", "gpt", "resnet18", "mlp-tiny"
// Whether its result for a sample depends on the other samples of the batch.
bool has_batch_norm(Model model);

struct TrainingCase {
  Model model = Model::kMlp;
  int batch = 1;  // samples per rank and step
  int width = 0;  // of the hidden layers of an mlp; 0: the default

  friend bool operator==(const TrainingCase&, const TrainingCase&) = default;
};

inline constexpr int kLargestBatch = 4096;
inline constexpr int kLargestWidth = 1 << 15;

std::string to_string(const TrainingCase& training);  // "mlp:32"

// "mlp:32" is one case, "mlp" all cases that the model is usually measured with. Throws Error{kInvalidConfig} for
// anything else.
std::vector<TrainingCase> parse_training_cases(std::string_view text);

}  // namespace lockstep::bench
