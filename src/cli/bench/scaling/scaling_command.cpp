#include "cli/bench/scaling/scaling_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/left_out.h"
#include "cli/bench/scaling/campaign.h"
#include "cli/bench/scaling/mlp_size.h"
#include "cli/bench/scaling/plot.h"
#include "cli/bench/scaling/report.h"
#include "cli/bench/scaling/report_json.h"
#include "cli/bench/scaling/table.h"
#include "cli/bench/session.h"
#include "cli/bench/training_team.h"
#include "cli/doctor/host_files.h"
#include "cli/doctor/machine.h"
#include "lockstep/config.h"

namespace lockstep::bench::scaling {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr int kLongRunRanks = 2;

struct ScalingOptions {
  std::vector<int> ranks = {1, 2, 4};
  // From inside a cache to far beyond one of 260 MiB: three sizes are twice that, even with one rank.
  std::vector<int> parameters = {1, 3, 10, 30, 50, 100, 200};
  Method method = Method::kSharded;
  int batch = 8;
  int rounds = 5;
  std::chrono::milliseconds time_per_round{300};
  std::int64_t steps = 20'000;
  std::chrono::milliseconds timeout{120'000};
  ReportFiles report;

  void describe(config::Description& d) {
    d.option("ranks", ranks, "how many ranks; each number is measured").range(1, 64);
    d.option("parameters", parameters, "of the model, in millions; each number is measured").range(1, 1000);
    d.option("method", method,
             "how to train: with DistributedDataParallel and torch::optim, lockstep::optim, or "
             "lockstep::optim with one set of parameters for all ranks")
        .choices({{"ddp", Method::kDdp},
                  {"sharded", Method::kSharded},
                  {"sharded-shared", Method::kSharedParameters}});
    d.option("batch", batch, "samples per rank and step").range(1, kLargestBatch);
    d.option("rounds", rounds, "how often to go through compute, no-comm and the method").range(1, 1000);
    d.option("time-per-round", time_per_round, "of each of them; more where two steps would not fit")
        .range(std::chrono::milliseconds(1), std::chrono::hours(1));
    d.option("steps", steps, "of the long run, with two ranks and the smallest model; 0: no long run")
        .range(0, 100'000'000);
    d.option("timeout", timeout, "how long a worker may take for one answer")
        .range(std::chrono::milliseconds(100), std::chrono::hours(1));
    report.describe(d);
  }
};

std::vector<int> sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Point make_point(int ranks, int millions) {
  return {.ranks = ranks, .parameters = mlp_parameters(mlp_width(millions * kMillion))};
}

// The memory of all workers of a point together: compute has parameters and gradients, the other two a momentum as
// well, and while a model is created it may exist twice.
std::uint64_t bytes_needed(const Point& point) {
  constexpr std::uint64_t kNumbersPerParameter = 2 + 3 + 3 + 1;
  return kNumbersPerParameter * sizeof(float) * static_cast<std::uint64_t>(point.ranks) *
         static_cast<std::uint64_t>(point.parameters);
}

CampaignPlan make_plan(const ScalingOptions& options) {
  CampaignPlan plan;
  const std::optional<std::uint64_t> available = doctor::read_memory(doctor::HostFiles()).available_bytes;
  for (const int ranks : sorted(options.ranks)) {
    for (const int millions : sorted(options.parameters)) {
      const Point point = make_point(ranks, millions);
      if (available && bytes_needed(point) > *available) {
        plan.left_out.push_back(fmt::format(
            "{} ranks, {} M parameters: needs about {:.1f} GB of memory, {:.1f} are free", ranks, millions,
            static_cast<double>(bytes_needed(point)) / 1e9, static_cast<double>(*available) / 1e9));
      } else {
        plan.points.push_back(point);
      }
    }
  }
  if (plan.points.empty()) {
    throw nothing_to_measure(plan.left_out);
  }
  plan.method = options.method;
  plan.batch = options.batch;
  plan.step_worker = find_step_worker();
  plan.pace = {
      .rounds = options.rounds, .time_per_round = options.time_per_round, .patience = options.timeout};
  plan.long_run = make_point(kLongRunRanks, sorted(options.parameters).front());
  plan.long_run_steps = options.steps;
  return plan;
}

}  // namespace

int run_scaling_command(int argc, const char* const* argv) {
  ScalingOptions options;
  const config::ProgramInfo program{
      .name = "lockstep bench scaling",
      .about =
          "Measures what training together costs beyond computation on this machine, as ranks and parameters "
          "become more, and whether time or memory grow in the course of many steps. Takes about ten minutes "
          "and "
          "up to 30 GB of memory, or what is free; the machine should have nothing else to do.",
      .env_prefix = ""};
  if (const auto exit_code = config::parse_command_line(options, argc, argv, program)) {
    return *exit_code;
  }
  const CampaignPlan plan = make_plan(options);
  Session session(options.report);
  Report report = session.measure(plan);
  report.method = to_string(plan.method);
  report.batch = plan.batch;
  report.rounds = plan.pace.rounds;
  return session.publish(report);
}

}  // namespace lockstep::bench::scaling
