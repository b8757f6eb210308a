#pragma once

// The result of `lockstep bench step`: what the observations come to, and how that compares with the bars. The table,
// the JSON and the plot are three views of it.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/host.h"
#include "cli/bench/step/observations.h"

namespace lockstep::bench::step {

struct Result {
  TrainingCase training;
  Variant variant = Variant::kNoComm;
  double median_ms = 0;
  double p10_ms = 0;
  double p90_ms = 0;
  double peak_rss_mb = 0;  // of 10^6 bytes
  std::size_t samples = 0;
};

enum class Ratio {
  kSpeedUp,   // PyTorch's DDP over ours, of its two variants the faster
  kOverhead,  // ours over no communication
  kOneRank,   // ours with one rank over plain libtorch
};

inline constexpr std::array kRatios = {Ratio::kSpeedUp, Ratio::kOverhead, Ratio::kOneRank};

std::string_view to_string(Ratio ratio);  // "speed-up", "overhead", "one rank"
std::string_view formula(Ratio ratio);    // in terms of medians

// What the geometric mean of a ratio has to reach, or must not exceed.
struct Bar {
  Ratio ratio = Ratio::kSpeedUp;
  double limit = 1;
  bool at_least = false;
};

inline constexpr std::array kBars = {Bar{Ratio::kSpeedUp, 1.25, true}, Bar{Ratio::kOverhead, 1.12, false},
                                     Bar{Ratio::kOneRank, 1.01, false}};

bool reaches(const Bar& bar, double value);

struct Report {
  Machine machine;
  int rounds = 0;
  std::vector<std::string> versions;
  std::vector<std::string> left_out;  // a line for each variant that was asked for but cannot run
  std::vector<Result> results;

  const Result* find(const TrainingCase& training, Variant variant) const;
  // Nothing when a variant that it needs is not there.
  std::optional<double> ratio(const TrainingCase& training, Ratio which) const;
  // Over the cases that have it; nothing when none has.
  std::optional<double> geometric_mean(Ratio which) const;

  std::vector<TrainingCase> cases() const;  // in the order in which they were measured
  std::vector<Variant> variants() const;
};

// Fills in all that follows from the observations.
Report summarize(const Observations& observations);

}  // namespace lockstep::bench::step
