#pragma once

// One optimizer step: runs a rank's micro-batches through forward and backward, then averages the gradients once, clips
// and applies them.
//
// The gradient is that of the mean loss over the whole batch, however it is divided: each micro-batch counts with its
// share of the total weight, a short last one with its own.

#include <memory>
#include <vector>

#include "lockstep/grad_scaler.h"
#include "lockstep/replica.h"
#include "lockstep/sharded_optimizer.h"
#include "lockstep/task.h"
#include "lockstep/train_callback.h"
#include "lockstep/train_options.h"
#include "train/averaged_weights.h"
#include "train/batch_plan.h"
#include "train/lap_timer.h"
#include "train/tally.h"

namespace lockstep::train {

// A replica whose forward is run by the task.
class TaskReplica : public Replica {
 public:
  using Replica::begin_forward;
  using Replica::end_forward;
  using Replica::Replica;
};

struct StepResult {
  Totals totals;
  double gradient_norm = 0;
  bool skipped = false;
  StepSeconds seconds;  // excluding data
};

class Stepper {
 public:
  // The referenced objects must outlive the Stepper.
  struct Parts {
    Task& task;
    TaskReplica& replica;
    torch::optim::Optimizer& optimizer;
    GradScaler& scaler;
    AveragedWeights* averages;  // null: none
    Communicator& communicator;
  };
  Stepper(const Parts& parts, const Options& options, const BatchPlan& plan);

  // Collective. The totals include the flags of all ranks.
  StepResult run(const Batch& batch, double learning_rate, const Flags& flags);

 private:
  double total_weight(const Batch& batch, const std::vector<Batch>& pieces);
  void accumulate(const Batch& batch);
  torch::Tensor forward_loss(const Batch& piece, double weight);
  void update(StepResult& result);
  void update_shards(StepResult& result);

  Parts parts_;
  optim::Sharded* sharded_;  // the optimizer if it is sharded, else null
  const Options& options_;
  BatchPlan plan_;
  Tally tally_{"training"};
  LapTimer timer_;
  double forward_seconds_ = 0;  // of this step
};

}  // namespace lockstep::train
