#include "cli/run/options.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep::run {

void IgnoredOptions::describe(config::Description& d) {
  constexpr const char* kHelp = "accepted for compatibility with torchrun; ignored";
  d.option("rdzv-conf", rdzv_conf, kHelp);
  d.option("monitor-interval", monitor_interval, kHelp);
  d.option("start-method", start_method, kHelp);
  d.option("local-addr", local_addr, kHelp);
  d.option("numa-binding", numa_binding, kHelp);
  d.option("event-log-handler", event_log_handler, kHelp);
  d.option("duplicate-stdout-filters", duplicate_stdout_filters, kHelp);
  d.option("duplicate-stderr-filters", duplicate_stderr_filters, kHelp);
  d.option("virtual-local-rank", virtual_local_rank, kHelp);
  d.option("run-path", run_path, kHelp);
}

std::vector<std::string> IgnoredOptions::notes() const {
  const std::vector<std::pair<bool, const char*>> given = {
      {rdzv_conf.has_value(), "--rdzv-conf: the rendezvous is static and has no settings"},
      {monitor_interval.has_value(), "--monitor-interval: workers are watched without polling"},
      {start_method.has_value(), "--start-method: workers are always programs of their own"},
      {local_addr.has_value(), "--local-addr: give the workers' World a --bind-address instead"},
      {numa_binding.has_value(), "--numa-binding: see --bind"},
      {event_log_handler.has_value(), "--event-log-handler: there are no events; see --report"},
      {duplicate_stdout_filters.has_value(), "--duplicate-stdout-filters: no output is filtered by its text"},
      {duplicate_stderr_filters.has_value(), "--duplicate-stderr-filters: no output is filtered by its text"},
      {virtual_local_rank, "--virtual-local-rank: LOCAL_RANK is the rank on this host"},
      {run_path, "--run-path: the program is started as it is"},
  };
  std::vector<std::string> notes;
  for (const auto& [is_given, note] : given) {
    if (is_given) {
      notes.push_back(fmt::format("ignored {}", note));
    }
  }
  return notes;
}

void Options::describe(config::Description& d) {
  d.option("nproc-per-node", nproc_per_node,
           "ranks on this host: a number; auto or cpu for as many as there are physical cores for; gpu for "
           "one on each")
      .alias('n');
  d.option("threads-per-rank", threads_per_rank, "cores for each rank; unset: an equal share, with auto 1")
      .range(1, 4096);
  d.option("bind", bind,
           "what each rank is bound to: physical cores or hardware threads of its own, all cores of a NUMA "
           "node, or nothing")
      .choices({{"core", Binding::kCore},
                {"thread", Binding::kThread},
                {"numa", Binding::kNuma},
                {"none", Binding::kNone}});
  d.option("nnodes", nnodes, "hosts of the job; the same command runs on each");
  d.option("node-rank", node_rank, "index of this host").range(0, 1 << 20);
  d.option("master-addr", master_addr, "where rank 0 runs; needed with several hosts");
  d.option("master-port", master_port, "port on that host; default 29500, or a free one on a single host")
      .range(1, 65535);
  d.option("standalone", standalone, "run on this host only, as without --nnodes");
  d.option("rdzv-backend", rdzv_backend, "static is the only one; c10d is taken as static");
  d.option("rdzv-endpoint", rdzv_endpoint, "HOST[:PORT], another way to write master-addr and master-port");
  d.option("rdzv-id", rdzv_id, "name of the run; one host: random");
  d.option("role", role, "name of the workers' role, for the prefix of their output");
  d.option("no-python", no_python, "run PROGRAM itself even if its name ends in .py");
  d.option("module", module, "torchrun's -m; write python3 -m MODULE instead").alias('m');
  d.option("log-dir", log_dir, "keep output under DIR/RUN/attempt_N/RANK/{stdout,stderr}.log");
  d.option("redirects", redirects,
           "what goes to files only: 0 nothing, 1 stdout, 2 stderr, 3 both; or LOCAL_RANK:N,...")
      .alias('r');
  d.option("tee", tee, "what goes to files and here, as for redirects; all of it when only log-dir is given")
      .alias('t');
  d.option("local-ranks-filter", local_ranks_filter, "show the output of these ranks of this host only");
  d.option("ranks-filter", ranks_filter, "show the output of these ranks of the job only");
  d.option("log-line-prefix-template", log_line_prefix_template,
           "prefix of each line; may use ${role_name} ${rank} ${local_rank} ${hostname}");
  d.option("max-restarts", max_restarts, "how many times to restart all workers after a failure")
      .range(0, 1'000'000);
  d.option("restart-on-start-failure", restart_on_start_failure,
           "restart even if no worker reported its first step");
  d.option("shutdown-timeout", shutdown_timeout, "from SIGTERM to SIGKILL")
      .unit("seconds")
      .range(0.0, 86400.0);
  d.option("signals-to-handle", signals_to_handle,
           "signals that stop the job; SIGUSR1 and SIGUSR2 are forwarded to the workers");
  d.option("report", report, "write a JSON report of the job to this file");
  d.option("dry-run", dry_run, "print ranks, cores, environment and commands, and start nothing");
  ignored.describe(d);
}

std::chrono::nanoseconds Options::grace() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(shutdown_timeout));
}

}  // namespace lockstep::run
