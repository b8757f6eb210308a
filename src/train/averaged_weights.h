#pragma once

// An exponential moving average of a model's parameters: smoother than the last step, and often better in evaluation.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "snapshot/named_tensors.h"

namespace lockstep::train {

class AveragedWeights {
 public:
  // Starts with the current parameters.
  AveragedWeights(torch::nn::Module& model, double decay);

  // Restarts from the current parameters.
  void reset();

  // After every step: average = decay x average + (1 - decay) x parameters.
  void update();

  // While it is alive, the model has the averages in place of its parameters.
  class [[nodiscard]] InPlace {
   public:
    explicit InPlace(AveragedWeights& weights) : weights_(weights) { weights_.exchange(); }
    ~InPlace() { weights_.exchange(); }
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    AveragedWeights& weights_;
  };
  InPlace in_place() { return InPlace(*this); }

  // Under the parameters' names. The average of a parameter with two names is listed twice.
  snapshot::NamedTensors named() const;

 private:
  void exchange();

  struct Name {
    std::string text;
    std::size_t index;  // of the average
  };

  std::vector<torch::Tensor> parameters_;  // floating-point only, each once, however many names it has
  std::vector<torch::Tensor> averages_;
  std::vector<Name> names_;
  double decay_;
};

}  // namespace lockstep::train
