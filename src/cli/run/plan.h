#pragma once

// What to start: the ranks of this host with their cores, environment and command. Pure: computed from the options and
// facts about the host, and executed elsewhere.

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/run/options.h"
#include "cli/run/stream_choice.h"
#include "topology/topology.h"

namespace lockstep::run {

struct HostFacts {
  Topology topology;  // the cores that this process may use
  int gpus = 0;
  std::string name;
  std::map<std::string, std::string> environment;  // of this process
  int free_port = 0;                               // for a single-host job
  std::string random_id;                           // for an unnamed run
  std::string launch_command = {};                 // what was typed before the workers' own command
  std::string terminal = {};  // on which the workers' errors are shown; empty if there is none
};

struct WorkerPlan {
  int rank = 0;
  int local_rank = 0;
  std::vector<int> cores = {};                          // hardware threads; empty: not bound
  std::map<std::string, std::string> environment = {};  // on top of the launcher's; attempts add to it
  std::string prefix = {};                              // of its lines
  Streams to_file = {};
  Streams to_console = {};
};

struct Plan {
  std::vector<std::string> command;
  std::vector<WorkerPlan> workers;
  std::string picture;  // of the cores and the ranks on them; several lines
  int world_size = 1;
  int node_rank = 0;
  int node_count = 1;
  std::string host;
  std::string run_id;
  std::optional<std::filesystem::path> log_dir;  // set if any stream goes to a file
  int max_restarts = 0;
  bool restart_on_start_failure = false;
  std::chrono::nanoseconds grace{};
  std::set<int> ending_signals;

  bool is_local() const { return node_count == 1; }
};

struct PlanResult {
  Plan plan;
  std::vector<std::string> problems;  // if there are any, nothing is started
  std::vector<std::string> notes;     // what the user may want to know
};

PlanResult make_plan(const Options& options, const std::vector<std::string>& command, const HostFacts& host);

}  // namespace lockstep::run
