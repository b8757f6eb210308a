#pragma once

// The result of `lockstep bench step`: a summary of the observations, and how it compares with the limits. The table,
// the JSON and the plot are three views of it.

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/host.h"
#include "cli/bench/left_out.h"
#include "cli/bench/step/observations.h"
#include "cli/bench/step/ratio.h"
#include "cli/bench/training_summary.h"

namespace lockstep::bench::step {

struct Result {
  TrainingCase training;
  Variant variant = Variant::kNoComm;
  TrainingSummary step = {};
};

struct Report {
  Machine machine;
  int rounds = 0;
  std::vector<std::string> versions;
  LeftOut left_out;  // variants that cannot run
  std::optional<PingPong> ping_pong;
  std::vector<Result> results;

  const Result* find(const TrainingCase& training, Variant variant) const;
  // Nothing if a variant that it needs is missing.
  std::optional<double> ratio(const TrainingCase& training, const Ratio& which) const;
  // Over the cases that have it; nothing if none has.
  std::optional<double> geometric_mean(const Ratio& which) const;

  std::vector<TrainingCase> cases() const;  // in the order they were measured
  std::vector<Variant> variants() const;
};

// Computes everything that follows from the observations.
Report summarize(const Observations& observations);

}  // namespace lockstep::bench::step
