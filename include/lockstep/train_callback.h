#pragma once

// What a training loop tells whoever listens: everything that is not the loop itself hangs here, on every rank.
// The numbers are those of all ranks together, the same on each.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/metric_row.h"

namespace lockstep::train {

// Where the time of this rank's step went.
struct StepSeconds {
  double data = 0;  // waiting for the loader
  double forward = 0;
  double backward = 0;
  double communication = 0;  // what backward did not hide, and the exchange of losses
  double optimizer = 0;      // clipping, update, averaged weights
  double other = 0;

  double total() const { return data + forward + backward + communication + optimizer + other; }
};

// Steps as a sum, for means over their samples.
struct StepSums {
  std::int64_t steps = 0;
  double samples = 0;                  // of all ranks
  std::vector<MetricValue> sums = {};  // of loss and metrics, each times the samples of its step
};

struct RunInfo {
  std::int64_t steps = 0;             // of the whole run
  std::int64_t steps_done = 0;        // before, when it is resumed
  std::int64_t skipped_steps = 0;     // likewise
  std::int64_t evaluated_after = -1;  // the step of the last evaluation before; -1: there was none
  StepSums unwritten = {};        // the last steps before, as far as they came after the last row of metrics
  std::string resumed_from = {};  // the folder of the checkpoint
  std::int64_t steps_per_epoch = 0;
  std::uint64_t batch_size = 0;
  int accumulation = 1;         // micro-batches per step
  std::string batches = {};     // "64 samples a step = 2 ranks x 2 micro-batches x 16"
  std::int64_t parameters = 0;  // numbers that are trained
};

struct StepInfo {
  std::int64_t step = 0;  // optimizer steps done, this one included
  double epoch = 0;       // 2.5: in the middle of the third
  double loss = 0;
  std::vector<MetricValue> metrics = {};
  double learning_rate = 0;
  double gradient_norm = 0;   // before clipping
  bool skipped = false;       // the loss or the gradient was not finite
  std::uint64_t samples = 0;  // of all ranks
  StepSeconds seconds = {};
};

struct EvaluationInfo {
  std::int64_t step = 0;
  double epoch = 0;
  std::vector<MetricValue> metrics = {};  // "loss" first
  std::uint64_t samples = 0;
  double seconds = 0;
  bool is_best = false;
};

struct Summary {
  std::int64_t steps = 0;
  double epochs = 0;
  std::int64_t skipped_steps = 0;
  std::uint64_t samples = 0;                 // of all ranks, since it began or was resumed
  double seconds = 0;                        // likewise
  std::vector<MetricValue> evaluation = {};  // the last one
  std::vector<MetricValue> best = {};        // the best one
  std::int64_t best_step = 0;
  std::string stopped = {};     // why before its end; empty: it was not
  std::string paused = {};      // why it was saved and left, to be resumed later; empty: it was not
  std::string checkpoint = {};  // the folder of the last one; empty: there is none
};

class Callback {
 public:
  virtual ~Callback() = default;

  virtual void on_begin(const RunInfo& /*info*/) {}
  virtual void on_step(const StepInfo& /*info*/) {}
  virtual void on_evaluation(const EvaluationInfo& /*info*/) {}
  virtual void on_end(const Summary& /*summary*/) {}

  // Asked after every step, with an answer on any rank being one for all: why the run is to end now. Empty: it is not.
  virtual std::string wants_to_stop() { return ""; }

  // Likewise, and during evaluations: why the run is to be saved and left, to be resumed later, as when the machine is
  // wanted for something else. Only asked of runs that save checkpoints.
  virtual std::string wants_to_pause() { return ""; }
};

}  // namespace lockstep::train
