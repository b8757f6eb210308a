#include "cli/run/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/huge_pages.h"
#include "cli/run/core_shares.h"
#include "cli/run/line_prefix.h"
#include "cli/run/placement.h"
#include "cli/run/placement_picture.h"
#include "cli/run/signal_names.h"
#include "job/launch_command.h"
#include "job/launcher_terminal.h"

namespace lockstep::run {
namespace {

bool is_folder_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

// torchrun runs scripts with its own Python; so does `lockstep run`, unbuffered as well.
std::vector<std::string> command_line(const Options& options, std::vector<std::string> command) {
  if (!options.no_python && !command.empty() && command[0].ends_with(".py")) {
    command.insert(command.begin(), {"python3", "-u"});
  }
  return command;
}

std::map<std::string, std::string> worker_environment(const Options& options, const Placement& place,
                                                      const Plan& plan, const HostFacts& host, int local_rank,
                                                      int threads) {
  const auto text = [](int number) { return std::to_string(number); };
  std::map<std::string, std::string> variables = {
      {"RANK", text(place.first_rank + local_rank)},
      {"LOCAL_RANK", text(local_rank)},
      {"WORLD_SIZE", text(place.world_size)},
      {"LOCAL_WORLD_SIZE", text(place.ranks)},
      {"GROUP_RANK", text(place.node_rank)},
      {"GROUP_WORLD_SIZE", text(place.node_count)},
      {"ROLE_RANK", text(place.first_rank + local_rank)},
      {"ROLE_WORLD_SIZE", text(place.world_size)},
      {"ROLE_NAME", options.role},
      {"MASTER_ADDR", place.master_address},
      {"MASTER_PORT", text(place.master_port)},
      {"TORCHELASTIC_MAX_RESTARTS", text(options.max_restarts)},
      {"TORCHELASTIC_RUN_ID", plan.run_id},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
  };
  // Variables set by the user take precedence.
  const std::map<std::string, std::string> usual = {
      {"OMP_NUM_THREADS", text(threads)},
      {"MKL_NUM_THREADS", text(threads)},
      {std::string(cli::kHugePagesVariable), std::string(cli::kHugePagesValue)},
      {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"}};
  for (const auto& [name, value] : usual) {
    if (host.environment.count(name) == 0) {
      variables.emplace(name, value);
    }
  }
  return variables;
}

struct OutputRules {
  StreamChoice redirects;
  StreamChoice tee;
};

// With --log-dir alone, all output goes there and to the console: a user who names a folder wants something in it.
OutputRules output_rules(const Options& options, std::vector<std::string>& problems) {
  OutputRules rules;
  const auto parse = [&](const char* flag, const std::string& text) {
    const auto choice = StreamChoice::parse(text);
    if (!choice) {
      problems.push_back(fmt::format("{}: '{}' is neither 0, 1, 2 or 3 nor a list like 0:3,1:1", flag, text));
    }
    return choice.value_or(StreamChoice());
  };
  rules.redirects = parse("--redirects", options.redirects);
  rules.tee = parse("--tee", options.tee);
  if (options.log_dir && options.redirects == "0" && options.tee == "0") {
    rules.tee = StreamChoice::all();
  }
  return rules;
}

bool is_shown(const Options& options, int rank, int local_rank) {
  const auto passes = [](const std::vector<int>& filter, int number) {
    return filter.empty() || std::find(filter.begin(), filter.end(), number) != filter.end();
  };
  return passes(options.local_ranks_filter, local_rank) && passes(options.ranks_filter, rank);
}

void plan_output(const Options& options, const OutputRules& rules, WorkerPlan& worker) {
  const Streams only_file = rules.redirects.of(worker.local_rank);
  const Streams both = rules.tee.of(worker.local_rank);
  const bool shown = is_shown(options, worker.rank, worker.local_rank);
  worker.to_file = {.out = only_file.out || both.out, .err = only_file.err || both.err};
  worker.to_console = {.out = shown && (!only_file.out || both.out),
                       .err = shown && (!only_file.err || both.err)};
}

void plan_workers(const Options& options, const Placement& place, const HostFacts& host,
                  const CoreShares& shares, const OutputRules& rules, PlanResult& result) {
  for (int local_rank = 0; local_rank < place.ranks; ++local_rank) {
    WorkerPlan worker{.rank = place.first_rank + local_rank, .local_rank = local_rank};
    if (options.bind != Binding::kNone && !shares.of_rank.empty()) {
      worker.cores = shares.of_rank[static_cast<std::size_t>(local_rank)];
    }
    worker.environment = worker_environment(options, place, result.plan, host, local_rank, shares.threads);
    worker.prefix =
        line_prefix(options.log_line_prefix_template,
                    {.role = options.role, .rank = worker.rank, .local_rank = local_rank, .host = host.name});
    plan_output(options, rules, worker);
    if (worker.to_console.err && !host.terminal.empty()) {
      worker.environment.emplace(kTerminalVariable, host.terminal);
    }
    if (!host.launch_command.empty()) {
      worker.environment.emplace(kLaunchVariable, host.launch_command);
    }
    result.plan.workers.push_back(std::move(worker));
  }
}

// Files need a folder: without --log-dir, a redirect has no destination.
void plan_log_folder(const Options& options, PlanResult& result) {
  const bool any =
      std::any_of(result.plan.workers.begin(), result.plan.workers.end(),
                  [](const WorkerPlan& worker) { return worker.to_file.out || worker.to_file.err; });
  if (any && !options.log_dir) {
    result.problems.emplace_back("--redirects and --tee need --log-dir, the folder for the files");
  } else if (any) {
    result.plan.log_dir = options.log_dir;
  }
}

void plan_signals(const Options& options, PlanResult& result) {
  for (const std::string& name : options.signals_to_handle) {
    if (const auto number = signal_number(name)) {
      result.plan.ending_signals.insert(*number);
    } else {
      result.problems.push_back(fmt::format("--signals-to-handle: {}", why_no_signal(name)));
    }
  }
}

std::string counted(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void note_cores(const Options& options, const Placement& place, const CoreShares& shares,
                const HostFacts& host, std::vector<std::string>& notes) {
  if (options.bind != Binding::kNone && shares.of_rank.empty()) {
    notes.push_back(fmt::format("{} with {}{} more than the {} here: not bound to cores",
                                counted(place.ranks, "rank"), counted(shares.threads, "thread"),
                                place.ranks == 1 ? " wants" : " each want",
                                counted(static_cast<int>(host.topology.cores.size()), "core")));
  }
}

}  // namespace

PlanResult make_plan(const Options& options, const std::vector<std::string>& command, const HostFacts& host) {
  PlanResult result;
  if (command.empty()) {
    result.problems.emplace_back("no program given");
  }
  if (options.module) {
    result.problems.emplace_back("-m: write the command as it is: lockstep run ... python3 -m MODULE");
  }
  if (options.rdzv_id && !is_folder_name(*options.rdzv_id)) {
    result.problems.push_back(
        fmt::format("--rdzv-id: '{}' cannot be the name of a folder for the logs", *options.rdzv_id));
  }
  const Placement place = place_ranks(options, host, result.problems);
  result.notes = options.ignored.notes();
  Plan& plan = result.plan;
  plan.command = command_line(options, command);
  plan.world_size = place.world_size;
  plan.node_rank = place.node_rank;
  plan.node_count = place.node_count;
  plan.host = host.name;
  plan.run_id = options.rdzv_id.value_or(place.node_count == 1 ? host.random_id : "none");
  plan.max_restarts = options.max_restarts;
  plan.restart_on_start_failure = options.restart_on_start_failure;
  plan.grace = options.grace();
  plan_signals(options, result);
  const OutputRules rules = output_rules(options, result.problems);
  if (result.problems.empty()) {
    const CoreShares shares = share_cores(host.topology, options.bind, place.ranks, place.threads);
    plan_workers(options, place, host, shares, rules, result);
    plan.picture = placement_picture(host.topology, plan.workers);
    plan_log_folder(options, result);
    note_cores(options, place, shares, host, result.notes);
  }
  return result;
}

}  // namespace lockstep::run
