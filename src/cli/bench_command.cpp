#include "cli/bench_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_worker/all_reduce_duty.h"
#include "bench_worker/worker.h"
#include "cli/bench/campaign.h"
#include "cli/bench/host.h"
#include "cli/bench/lockstep_contestant.h"
#include "cli/bench/plot.h"
#include "cli/bench/report_json.h"
#include "cli/bench/scaling/scaling_command.h"
#include "cli/bench/step/step_command.h"
#include "cli/bench/table.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using bench::Implementation;
using config::ByteSize;

constexpr const char* kBenchHelp =
    "usage: lockstep bench allreduce [OPTION]...\n"
    "       lockstep bench step [OPTION]...\n"
    "       lockstep bench scaling [OPTION]...\n"
    "\n"
    "allreduce measures how fast all-reduce is on this machine, beside libtorch's Gloo, Open MPI and what "
    "the\n"
    "hardware allows; step how long a training step takes, beside PyTorch on two ranks and in one process, "
    "and\n"
    "beside no communication at all; scaling how the cost of training together grows with ranks, parameters "
    "and\n"
    "steps. Run one of them with --help for its options.\n";

struct AllReduceOptions {
  std::vector<int> ranks = {2, 4};
  std::vector<ByteSize> sizes = {ByteSize::kib(4), ByteSize::kib(64), ByteSize::mib(1),
                                 ByteSize::mib(4), ByteSize::mib(25), ByteSize::mib(128)};
  std::vector<Implementation> implementations = {Implementation::kLockstep, Implementation::kGloo,
                                                 Implementation::kOpenMpi};
  int rounds = 10;
  std::chrono::milliseconds time_per_point{1000};
  std::chrono::milliseconds timeout{60'000};
  std::optional<fs::path> json;
  std::optional<fs::path> plot;

  void describe(config::Description& d) {
    d.option("ranks", ranks, "how many ranks; each number is measured").range(2, 64);
    d.option("sizes", sizes, "of the buffer of each rank").range(ByteSize::kib(1), ByteSize::gib(1));
    d.option("implementations", implementations, "what to compare")
        .choices({{"lockstep", Implementation::kLockstep},
                  {"gloo", Implementation::kGloo},
                  {"openmpi", Implementation::kOpenMpi}});
    d.option("rounds", rounds, "how often to go through everything").range(1, 1000);
    d.option("time-per-point", time_per_point,
             "for each implementation, number of ranks and size, over all rounds; more where too few samples "
             "would fit")
        .range(std::chrono::milliseconds(1), std::chrono::hours(1));
    d.option("timeout", timeout, "how long a worker may take for one answer")
        .range(std::chrono::milliseconds(100), std::chrono::hours(1));
    d.option("json", json, "write the results to this file");
    d.option("plot", plot, "draw them into this SVG file");
  }
};

struct WorkerCommandOptions {
  bench::WorkerOptions worker;
  int flags_fd = 0;

  void describe(config::Description& d) {
    worker.describe(d);
    d.option("flags-fd", flags_fd, "memory file for the ping-pong").range(0, 1 << 20);
  }
};

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bench::CampaignPlan make_plan(const AllReduceOptions& options, std::vector<std::string>& left_out) {
  bench::CampaignPlan plan;
  plan.ranks = sorted(options.ranks);
  for (const ByteSize size : sorted(options.sizes)) {
    if (size.bytes() % sizeof(float) != 0) {
      throw Error(ErrorCode::kInvalidConfig,
                  fmt::format("--sizes: {} is not a whole number of float32 values", to_text(size)));
    }
    plan.sizes.push_back(size.bytes());
  }
  for (const Implementation implementation : sorted(options.implementations)) {
    bench::Contender contender = bench::find_contender(implementation);
    if (contender.missing.empty()) {
      plan.contenders.push_back(std::move(contender));
    } else {
      left_out.push_back(fmt::format("{}: {}", to_string(implementation), contender.missing));
    }
  }
  plan.host_meter = bench::find_contender(Implementation::kLockstep);
  plan.rounds = options.rounds;
  plan.time_per_point = options.time_per_point;
  plan.patience = options.timeout;
  return plan;
}

void require_work(const bench::CampaignPlan& plan, const std::vector<std::string>& left_out) {
  if (plan.ranks.empty() || plan.sizes.empty()) {
    throw Error(ErrorCode::kInvalidConfig, "--ranks and --sizes need at least one value each");
  }
  if (plan.contenders.empty()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("there is nothing to compare{}{}", left_out.empty() ? "" : "; ",
                            left_out.empty() ? "" : left_out.front()));
  }
}

int run_all_reduce(int argc, const char* const* argv) {
  AllReduceOptions options;
  const config::ProgramInfo program{
      .name = "lockstep bench allreduce",
      .about =
          "Measures how fast all-reduce is on this machine, beside libtorch's Gloo and Open MPI where they "
          "are "
          "installed, and beside what the hardware allows. All of them are measured in turn, round after "
          "round, each rank pinned to a core. Takes about two minutes; the machine should have nothing else "
          "to do.",
      .env_prefix = ""};
  if (const auto exit_code = config::parse_command_line(options, argc, argv, program)) {
    return *exit_code;
  }
  std::vector<std::string> left_out;
  const bench::CampaignPlan plan = make_plan(options, left_out);
  require_work(plan, left_out);
  OutputFile json(options.json);
  OutputFile plot(options.plot);

  bench::Machine machine = bench::describe_machine();
  bench::Progress progress;
  bench::Report report = bench::summarize(bench::run_campaign(plan, progress));
  progress.show("");
  machine.load_after = bench::load_averages();
  report.machine = std::move(machine);
  report.left_out = std::move(left_out);
  std::cout << bench::render_table(report);
  json.write(bench::to_json_text(report) + "\n");
  plot.write(bench::render_svg(report));
  return kExitOk;
}

int run_bench_worker(int argc, const char* const* argv) {
  WorkerCommandOptions options;
  const config::ProgramInfo program{
      .name = "lockstep bench worker",
      .about = "One rank of 'lockstep bench allreduce', which starts it by itself.",
      .env_prefix = ""};
  if (const auto exit_code = config::parse_command_line(options, argc, argv, program)) {
    return *exit_code;
  }
  return bench::worker_main([&options] {
    const auto contestant = bench::make_lockstep_contestant(
        {.rank = options.worker.rank, .size = options.worker.size, .flags_fd = options.flags_fd});
    bench::AllReduceDuty duty(options.worker, *contestant);
    bench::run_worker(options.worker, duty);
  });
}

}  // namespace

int run_bench(int argc, const char* const* argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "allreduce") {
    return run_all_reduce(argc - 1, argv + 1);
  }
  if (name == "step") {
    return bench::step::run_step_command(argc - 1, argv + 1);
  }
  if (name == "scaling") {
    return bench::scaling::run_scaling_command(argc - 1, argv + 1);
  }
  if (name == "worker") {
    return run_bench_worker(argc - 1, argv + 1);
  }
  if (name == "--help" || name == "-h") {
    std::cout << kBenchHelp;
    return kExitOk;
  }
  if (name.empty()) {
    std::cerr << kBenchHelp;
  } else {
    std::cerr << fmt::format(
        "lockstep bench: unknown benchmark '{}'; there are 'allreduce', 'step' and 'scaling'\n", name);
  }
  return kExitTrouble;
}

}  // namespace lockstep::cli
