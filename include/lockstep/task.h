#pragma once

// What is to be trained: the part of a training program that is the user's own. lockstep/train.h turns one into a
// program.
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
// Every rank has a task of its own. The loop calls it from one thread.

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

// A number to report, as a sum and what it is to be divided by: only so are means over batches and ranks exact.
struct MetricSum {
  std::string name;
  double sum = 0;
  double count = 0;
};

// What the model made of a batch.
struct Output {
  torch::Tensor loss;                   // the mean over the batch; backward starts here
  std::vector<MetricSum> metrics = {};  // the same names in every batch
};

// How many of the labels have the highest score of their row.
MetricSum accuracy(const torch::Tensor& scores, const torch::Tensor& labels);

struct TaskData {
  std::shared_ptr<const Dataset> train = nullptr;
  std::shared_ptr<const Dataset> eval = nullptr;  // null: there is no evaluation
};

class Task {
 public:
  virtual ~Task() = default;

  // Names the run: its folder, its page.
  virtual std::string name() const = 0;
  // One sentence for --help.
  virtual std::string about() const { return ""; }

  // What this task starts from, before the command line is read.
  virtual void set_defaults(Options& /*options*/) {}
  // Options of its own, beside those of the loop.
  virtual void describe(config::Description& /*d*/) {}

  // Called once, in this order, with the options in place and the random numbers of libtorch seeded.
  virtual TaskData data() = 0;
  virtual std::shared_ptr<torch::nn::Module> model() = 0;
  // One of lockstep::optim does in its step what `shard` says, and has to be given it: clips, and refuses gradients that
  // are not finite. For others the loop does that before theirs. Collective.
  virtual std::unique_ptr<torch::optim::Optimizer> optimizer(const OptimizerOptions& options,
                                                             Replica& replica,
                                                             const optim::ShardOptions& shard) {
    return make_optimizer(options, replica, shard);
  }
  virtual std::vector<std::shared_ptr<Callback>> callbacks() { return {}; }

  // Forward and loss, in training and in evaluation; the mode of the model is set. `batch` is never empty.
  virtual Output step(const Batch& batch) = 0;

  // For losses that are means over something else than samples, such as tokens where samples differ in length: true,
  // and how many of them a batch has. Ranks then tell each other before every step.
  virtual bool has_weights() const { return false; }
  virtual double weight(const Batch& batch) const { return static_cast<double>(batch.size()); }
};

}  // namespace lockstep::train
