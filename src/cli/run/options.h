#pragma once

// The flags of `lockstep run`: torchrun's, with the same names and meanings, and a few more.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/config_description.h"

namespace lockstep::run {

// What a rank is bound to.
enum class Binding {
  kCore,    // physical cores of its own
  kThread,  // hardware threads of its own
  kNuma,    // all cores of a NUMA node
  kNone,
};

// Flags of torchrun that have no meaning for a launcher without Python and elastic membership.
struct IgnoredOptions {
  std::optional<std::string> rdzv_conf;
  std::optional<std::string> monitor_interval;
  std::optional<std::string> start_method;
  std::optional<std::string> local_addr;
  std::optional<std::string> numa_binding;
  std::optional<std::string> event_log_handler;
  std::optional<std::string> duplicate_stdout_filters;
  std::optional<std::string> duplicate_stderr_filters;
  bool virtual_local_rank = false;
  bool run_path = false;

  void describe(config::Description& d);

  // One line for each flag that was given: what it is, and why it has no effect.
  std::vector<std::string> notes() const;
};

struct Options {
  // Placement of the ranks.
  std::string nproc_per_node = "auto";
  std::optional<int> threads_per_rank;
  Binding bind = Binding::kCore;
  std::string nnodes = "1";
  int node_rank = 0;
  std::optional<std::string> master_addr;
  std::optional<int> master_port;
  bool standalone = false;
  std::string rdzv_backend = "static";
  std::optional<std::string> rdzv_endpoint;
  std::optional<std::string> rdzv_id;
  std::string role = "default";
  bool no_python = false;
  bool module = false;
  // Their output.
  std::optional<std::filesystem::path> log_dir;
  std::string redirects = "0";
  std::string tee = "0";
  std::vector<int> local_ranks_filter;
  std::vector<int> ranks_filter;
  std::string log_line_prefix_template = "[${role_name}${rank}]:";
  // Failures.
  int max_restarts = 0;
  bool restart_on_start_failure = false;
  double shutdown_timeout = 30;
  std::vector<std::string> signals_to_handle = {"SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"};
  std::optional<std::filesystem::path> report;
  bool dry_run = false;
  IgnoredOptions ignored;

  void describe(config::Description& d);

  std::chrono::nanoseconds grace() const;
};

}  // namespace lockstep::run
