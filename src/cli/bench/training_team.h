#pragma once

// The workers that train with libtorch: starts a team of them, and summarises their answers.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "bench_worker/training_case.h"
#include "bench_worker/training_method.h"
#include "cli/bench/measurements.h"
#include "cli/bench/memory_use.h"
#include "cli/bench/worker_group.h"

namespace lockstep::bench {

struct TrainingTeam {
  std::string name;  // for errors
  TrainingCase training;
  Method method = Method::kAlone;
  int ranks = 1;
};

// The program of the workers. Throws Error{kUnsupported} if this lockstep was built without libtorch.
std::filesystem::path find_step_worker();

// One thread per rank.
WorkerTeam make_team(const TrainingTeam& team, const std::filesystem::path& step_worker);

// How many steps of this length are measured at once: as many as the time permits, but at least 2.
int steps_within(std::chrono::nanoseconds time, std::chrono::nanoseconds step);

// Trains this many steps, after one that does not count.
std::vector<Answer> ask_for_steps(WorkerGroup& workers, int steps);

// The time of each step in ms, which is that of its slowest rank.
std::vector<double> slowest_ms(const std::vector<Answer>& answers);

// By rank.
std::vector<MemoryUse> memory_use_of(const WorkerGroup& workers);

// Lets the workers take this many steps and adds the measurements to `seen`.
void measure_steps(WorkerGroup& workers, int steps, Measurements& seen);

}  // namespace lockstep::bench
