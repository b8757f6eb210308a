#pragma once

// What the training loop reports to callbacks. Everything beyond the loop itself is a callback, on every rank. The
// numbers cover all ranks and are the same on each.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/metric_row.h"

namespace lockstep::train {

// The time of this rank's step, by phase.
struct StepSeconds {
  double data = 0;  // waiting for the loader
  double forward = 0;
  double backward = 0;
  double communication = 0;  // not overlapped by backward, and the exchange of losses
  double optimizer = 0;      // clipping, update, averaged weights
  double other = 0;

  double total() const { return data + forward + backward + communication + optimizer + other; }
};

// Sums over steps, for means over their samples.
struct StepSums {
  std::int64_t steps = 0;
  double samples = 0;                  // of all ranks
  std::vector<MetricValue> sums = {};  // of loss and metrics, each weighted by the samples of its step
};

struct RunInfo {
  std::int64_t steps = 0;             // in the whole run
  std::int64_t steps_done = 0;        // before this start, when resumed
  std::int64_t skipped_steps = 0;     // likewise
  std::int64_t evaluated_after = -1;  // the step of the last evaluation before this start; -1: none
  StepSums unwritten = {};            // steps before this start that no row of metrics covers yet
  std::string resumed_from = {};      // the folder of the checkpoint
  std::int64_t steps_per_epoch = 0;
  std::uint64_t batch_size = 0;
  int accumulation = 1;         // micro-batches per step
  std::string batches = {};     // "64 samples a step = 2 ranks x 2 micro-batches x 16"
  std::int64_t parameters = 0;  // trained parameters, in elements
};

struct StepInfo {
  std::int64_t step = 0;  // optimizer steps done, this one included
  double epoch = 0;       // 2.5: halfway through the third
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
  std::uint64_t samples = 0;                 // of all ranks, since the run started or was resumed
  double seconds = 0;                        // likewise
  std::vector<MetricValue> evaluation = {};  // the last one
  std::vector<MetricValue> best = {};        // the best one
  std::int64_t best_step = 0;
  std::string stopped = {};     // why it stopped early; empty: it did not
  std::string paused = {};      // why it was saved to be resumed later; empty: it was not
  std::string checkpoint = {};  // the folder of the last one; empty: none
};

class Callback {
 public:
  virtual ~Callback() = default;

  virtual void on_begin(const RunInfo& /*info*/) {}
  virtual void on_step(const StepInfo& /*info*/) {}
  virtual void on_evaluation(const EvaluationInfo& /*info*/) {}
  virtual void on_end(const Summary& /*summary*/) {}

  // Called after every step; an answer on any rank counts for all: the reason to stop the run now. Empty: do not stop.
  virtual std::string wants_to_stop() { return ""; }

  // Likewise, and during evaluations: the reason to save the run and exit, to be resumed later, such as when the host
  // is needed for something else. Only called in runs that save checkpoints.
  virtual std::string wants_to_pause() { return ""; }
};

}  // namespace lockstep::train
