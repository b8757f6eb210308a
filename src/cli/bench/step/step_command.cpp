#include "cli/bench/step/step_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/left_out.h"
#include "cli/bench/session.h"
#include "cli/bench/step/campaign.h"
#include "cli/bench/step/plot.h"
#include "cli/bench/step/python_search.h"
#include "cli/bench/step/report.h"
#include "cli/bench/step/report_json.h"
#include "cli/bench/step/table.h"
#include "cli/bench/training_team.h"
#include "cli/helper_program.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep::bench::step {
namespace {

namespace fs = std::filesystem;

struct StepOptions {
  std::vector<std::string> models = {"mlp", "gpt", "resnet18"};
  std::vector<Variant> variants = {kVariants.begin(), kVariants.end()};
  int rounds = 7;
  std::chrono::milliseconds time_per_round{600};
  std::chrono::milliseconds timeout{120'000};
  std::optional<fs::path> python;
  ReportFiles report;

  void describe(config::Description& d) {
    d.option("models", models,
             "what to train: mlp, gpt or resnet18 with their usual batch sizes, or with one of your own, as "
             "in mlp:64");
    d.option("variants", variants, "what to compare")
        .choices({{"compute", Variant::kCompute},
                  {"no-comm", Variant::kNoComm},
                  {"ddp", Variant::kDdp},
                  {"sharded", Variant::kSharded},
                  {"sharded-shared", Variant::kShardedShared},
                  {"ddp-1rank", Variant::kDdpOneRank},
                  {"plain-1rank", Variant::kPlainOneRank},
                  {"pytorch-ddp", Variant::kPytorchDdp},
                  {"pytorch-ddp-view", Variant::kPytorchDdpView},
                  {"pytorch-ddp-fused", Variant::kPytorchDdpFused},
                  {"pytorch-threads", Variant::kPytorchThreads},
                  {"pytorch-threads-fused", Variant::kPytorchThreadsFused}});
    d.option("rounds", rounds, "how often to go through all variants").range(1, 1000);
    d.option("time-per-round", time_per_round,
             "of each variant; more where two steps would not fit, and one step before that does not count")
        .range(std::chrono::milliseconds(1), std::chrono::hours(1));
    d.option("timeout", timeout, "how long a worker may take for one answer")
        .range(std::chrono::milliseconds(100), std::chrono::hours(1));
    d.option("python", python, "an interpreter that has PyTorch; by default the one beside libtorch");
    report.describe(d);
  }
};

template <class T>
void add_once(std::vector<T>& values, const T& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    values.push_back(value);
  }
}

Programs find_programs(const StepOptions& options) {
  Programs programs{.step_worker = find_step_worker(),
                    .python = options.python.value_or(find_python()),
                    .pytorch_worker = cli::find_helper_program("pytorch_worker.py")};
  if (options.python && access(options.python->c_str(), X_OK) != 0) {
    throw Error(ErrorCode::kInvalidConfig,
                fmt::format("--python: {} is not a program that can be started", options.python->string()));
  }
  return programs;
}

CampaignPlan make_plan(const StepOptions& options) {
  CampaignPlan plan;
  for (const std::string& text : options.models) {
    for (const TrainingCase& training : parse_training_cases(text)) {
      add_once(plan.cases, training);
    }
  }
  plan.programs = find_programs(options);
  for (const Variant variant : options.variants) {
    if (is_pytorch(variant) && plan.programs.python.empty()) {
      plan.left_out.push_back(fmt::format(
          "{}: there is no Python with PyTorch beside libtorch; name one with --python", to_string(variant)));
    } else {
      add_once(plan.variants, variant);
    }
  }
  if (plan.cases.empty() || plan.variants.empty()) {
    throw nothing_to_measure(plan.left_out);
  }
  plan.pace = {.rounds = options.rounds,
               .time_per_round = options.time_per_round,
               .patience = options.timeout,
               .anew = true};
  return plan;
}

}  // namespace

int run_step_command(int argc, const char* const* argv) {
  StepOptions options;
  const config::ProgramInfo program{
      .name = "lockstep bench step",
      .about =
          "Measures how long a training step takes on this machine, and how much memory, with two ranks of "
          "Lockstep: beside PyTorch's DistributedDataParallel, beside PyTorch in one process with a thread "
          "on each core, beside no communication at all, and beside forward and backward alone; and with one "
          "rank beside plain libtorch. All of them are measured in turn, round after round, pinned to the "
          "same cores. Takes more than twenty minutes; the machine should have nothing else to do.",
      .env_prefix = ""};
  if (const auto exit_code = config::parse_command_line(options, argc, argv, program)) {
    return *exit_code;
  }
  const CampaignPlan plan = make_plan(options);
  Session session(options.report);
  Report report = session.measure(plan);
  report.rounds = plan.pace.rounds;
  return session.publish(report);
}

}  // namespace lockstep::bench::step
