#pragma once

// The training loop: steps, epochs and evaluations, until the run finishes.

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
#include "train/best_metric.h"
#include "train/evaluator.h"
#include "train/lap_timer.h"
#include "train/run_keeper.h"
#include "train/run_setup.h"
#include "train/run_state.h"
#include "train/stepper.h"

namespace lockstep::train {

class Trainer {
 public:
  // Collective. Throws Error{kInvalidConfig} when the options do not fit each other, the data or the checkpoint to
  // resume, and Error{kMismatch} when the model does not fit that checkpoint.
  Trainer(Task& task, const Options& options, World& world, std::vector<std::shared_ptr<Callback>> listeners);

  Summary run();

 private:
  void step();
  void advance(const SampleBatch& samples, const StepResult& result);
  void announce(const StepInfo& info);
  bool is_to_be_evaluated(const SampleBatch& samples) const;
  Flags flags();
  void evaluate();
  std::optional<Totals> run_evaluator();
  bool observe(const std::vector<MetricValue>& metrics);
  void require_replicas();
  double rate_of(std::int64_t step) const;
  bool wants_to_pause();
  void tell(const std::function<void(Callback&)>& what);
  Summary summarize(double seconds) const;

  const Options options_;
  World& world_;
  std::vector<std::shared_ptr<Callback>> listeners_;
  RunSetup setup_;
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
  std::string wish_;    // why this rank wants to stop; the others learn of it in the next step
  std::string plea_;    // why this rank wants to pause; likewise
  std::string paused_;  // why all ranks pause
  std::optional<RunKeeper> keeper_;
  std::optional<Loader> loader_;
  std::chrono::nanoseconds waited_{0};
  LapTimer timer_;
};

}  // namespace lockstep::train
