#include "cli/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/host_name.h"
#include "base/random_token.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/run/front.h"
#include "cli/run/job.h"
#include "cli/run/options.h"
#include "cli/run/plan.h"
#include "cli/run/plan_text.h"
#include "cli/run/reserved_port.h"
#include "job/launch_command.h"
#include "lockstep/config.h"
#include "topology/topology.h"

namespace lockstep::cli {
namespace {

const config::ProgramInfo kProgram{.name = "lockstep run",
                                   .about =
                                       "Starts PROGRAM as the ranks of this host, tells each who it is, and "
                                       "watches them. Takes torchrun's flags, "
                                       "and its environment (PET_NPROC_PER_NODE, ...). Exits with 0; with "
                                       "the code of the worker that failed first, "
                                       "or 128 + the signal that ended it; with 2 for wrong usage; with 75 "
                                       "when the job should be tried again.",
                                   .env_prefix = "PET",
                                   .positionals = config::Positionals::kPassThrough,
                                   .positional_usage = "PROGRAM [ARGUMENT]..."};

int count_gpus() {
  int count = 0;
  std::error_code ignored;
  while (std::filesystem::exists(fmt::format("/dev/nvidia{}", count), ignored)) {
    ++count;
  }
  return count;
}

int refuse(const std::vector<std::string>& problems) {
  std::cerr << fmt::format("{}: {} problem{}, nothing was run:\n", kProgram.name, problems.size(),
                           problems.size() == 1 ? "" : "s");
  for (const std::string& problem : problems) {
    std::cerr << "  " << problem << "\n";
  }
  std::cerr << fmt::format("run '{} --help' for the list of options\n", kProgram.name);
  return kExitTrouble;
}

// The terminal of standard error, where a worker's progress line would appear if it were not read through a pipe.
std::string terminal_name() {
  std::array<char, 256> name{};
  return ttyname_r(STDERR_FILENO, name.data(), name.size()) == 0 ? name.data() : "";
}

}  // namespace

int run_run(int argc, const char* const* argv) {
  run::Options options;
  std::vector<std::string> command;
  if (const auto exit_code = config::parse_command_line(options, argc, argv, kProgram, &command)) {
    return *exit_code;
  }
  const run::ReservedPort port;  // held for as long as the job runs
  const run::HostFacts host{.topology = read_topology(),
                            .gpus = count_gpus(),
                            .name = this_host_name(),
                            .environment = config::process_environment(),
                            .free_port = port.number(),
                            .random_id = random_token().substr(0, 12),
                            .launch_command = shell_text(own_command(command.size())),
                            .terminal = terminal_name()};
  const run::PlanResult result = run::make_plan(options, command, host);
  if (!result.problems.empty()) {
    return refuse(result.problems);
  }
  for (const std::string& note : result.notes) {
    std::cerr << fmt::format("{}: {}\n", kProgram.name, note);
  }
  if (options.dry_run) {
    std::cout << run::plan_text(result.plan);
    return kExitOk;
  }
  OutputFile report(options.report);
  return run::run_behind_front(run::forwarded_signals(result.plan),
                               [&](pid_t front) { return run::run_job(result.plan, report, front); });
}

}  // namespace lockstep::cli
