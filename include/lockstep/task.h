#pragma once

// The user's part of a training program: what to train. lockstep/train.h turns it into a program.
//
//   class Digits : public lockstep::train::Task {
//    public:
//     std::string name() const override { return "digits"; }
//     TaskData data() override { return {.train = ..., .eval = ...}; }
//     std::shared_ptr<torch::nn::Module> model() override { return net_ = std::make_shared<Net>(); }
//     Output step(const Batch& batch) override {
//       const auto scores = net_->forward(batch.input());
//       return {.loss = cross_entropy(scores, batch.target()), .metrics = {accuracy(scores, batch.target())}};
//     }
//
//    private:
//     std::shared_ptr<Net> net_;
//   };
//
// Every rank has its own task. The loop calls it from one thread.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "lockstep/config_description.h"
#include "lockstep/dataset.h"
#include "lockstep/loader.h"
#include "lockstep/optimizer.h"

namespace lockstep::train {

class Callback;
struct Options;

// A metric as a sum and its divisor, so that means over batches and ranks are exact.
struct MetricSum {
  std::string name;
  double sum = 0;
  double count = 0;
};

// The result of a batch.
struct Output {
  torch::Tensor loss;                   // the mean over the batch; backward starts here
  std::vector<MetricSum> metrics = {};  // the same names in every batch
};

// Counts the labels that have the highest score of their row.
MetricSum accuracy(const torch::Tensor& scores, const torch::Tensor& labels);

struct TaskData {
  std::shared_ptr<const Dataset> train = nullptr;
  std::shared_ptr<const Dataset> eval = nullptr;  // null: no evaluation
};

class Task {
 public:
  virtual ~Task() = default;

  // Names the run, its folder and its report.
  virtual std::string name() const = 0;
  // One sentence for --help.
  virtual std::string about() const { return ""; }

  // Sets this task's defaults, before the command line is read.
  virtual void set_defaults(Options& /*options*/) {}
  // The task's own options, next to those of the loop.
  virtual void describe(config::Description& /*d*/) {}

  // Called once, in this order, after the options are set and libtorch's random numbers are seeded.
  virtual TaskData data() = 0;
  virtual std::shared_ptr<torch::nn::Module> model() = 0;
  // A lockstep::optim optimizer must be constructed with `shard`, so that its step clips and refuses non-finite
  // gradients; for other optimizers the loop does that before their step. Collective.
  virtual std::unique_ptr<torch::optim::Optimizer> optimizer(const OptimizerOptions& options,
                                                             Replica& replica,
                                                             const optim::ShardOptions& shard) {
    return make_optimizer(options, replica, shard);
  }
  virtual std::vector<std::shared_ptr<Callback>> callbacks() { return {}; }

  // Forward and loss, in training and in evaluation; the model is in the right mode. `batch` is never empty.
  virtual Output step(const Batch& batch) = 0;

  // For losses that are means over something other than samples, such as tokens where samples differ in length: return
  // true, and their number in a batch. Ranks then exchange it before every step.
  virtual bool has_weights() const { return false; }
  virtual double weight(const Batch& batch) const { return static_cast<double>(batch.size()); }
};

}  // namespace lockstep::train
