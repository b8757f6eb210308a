#pragma once

// The loop: steps, epochs, evaluations, until the run is over.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/grad_scaler.h"
#include "lockstep/loader.h"
#include "lockstep/plateau.h"
#include "lockstep/sampler.h"
#include "lockstep/train.h"
#include "train/averaged_weights.h"
#include "train/batch_plan.h"
#include "train/best_metric.h"
#include "train/evaluator.h"
#include "train/lap_timer.h"
#include "train/stepper.h"

namespace lockstep::train {

// How far a run has come: all that it does not keep elsewhere.
struct Progress {
  std::int64_t step = 0;     // of the optimizer, skipped ones included
  std::int64_t skipped = 0;  // because something was not finite
  std::int64_t skipped_in_row = 0;
  std::uint64_t samples = 0;  // of all ranks
};

class Trainer {
 public:
  // Collective. Throws Error{kInvalidConfig} when the options do not fit each other or the data.
  Trainer(Task& task, const Options& options, World& world, std::vector<std::shared_ptr<Callback>> listeners);

  Summary run();

 private:
  // What needs no other rank, and may fail on one of them.
  struct Setup {
    BatchPlan plan;
    TaskData data;
    std::shared_ptr<torch::nn::Module> model;
  };
  static Setup set_up(Task& task, const Options& options, World& world);

  void step();
  void advance(const SampleBatch& samples, const StepResult& result);
  void evaluate();
  bool observe(const std::vector<MetricValue>& metrics);
  double rate_of(std::int64_t step) const;
  void tell(const std::function<void(Callback&)>& what);
  Summary summarize(double seconds) const;

  const Options options_;
  World& world_;
  std::vector<std::shared_ptr<Callback>> listeners_;
  Setup setup_;
  TaskReplica replica_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  GradScaler scaler_;
  std::optional<AveragedWeights> averages_;
  Sampler sampler_;
  Plateau plateau_;
  BestMetric best_;
  std::optional<Evaluator> evaluator_;
  std::optional<Stepper> stepper_;
  std::int64_t steps_per_epoch_ = 0;
  std::int64_t steps_ = 0;  // of the whole run
  Progress progress_;
  double epoch_ = 0;  // 2.5: in the middle of the third
  std::vector<MetricValue> evaluation_;
  std::int64_t evaluated_at_ = -1;
  std::string wish_;     // why this rank wants to stop; the others learn of it in the next step
  std::string stopped_;  // why all of them do
  std::optional<Loader> loader_;
  std::chrono::nanoseconds waited_{0};
  LapTimer timer_;
};

}  // namespace lockstep::train
