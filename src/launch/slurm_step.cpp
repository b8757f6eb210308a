#include "launch/slurm_step.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <numeric>

#include "config/printable.h"
#include "launch/slurm_lists.h"

namespace lockstep {
namespace {

// Below the ephemeral ports of Linux, which any process may hold.
constexpr std::uint32_t kFirstPort = 15000;
constexpr std::uint32_t kPortCount = 16384;
// The distance between jobs; more steps than that rarely run concurrently in one job.
constexpr std::uint32_t kStepsPerJob = 31;

std::string shown(const EnvironmentReader& reader, std::string_view name) {
  return fmt::format("{}={}", name, config::in_quotes(reader.text(name).value_or("")));
}

void read_task_counts(EnvironmentReader& reader, int size, SlurmStep& step) {
  const std::string tasks = shown(reader, "SLURM_STEP_TASKS_PER_NODE");
  const auto counts = expand_task_counts(reader.text("SLURM_STEP_TASKS_PER_NODE").value_or(""));
  if (!counts) {
    reader.problem(fmt::format("{} is not a list such as 2(x3),1", tasks));
    return;
  }
  step.node_count = static_cast<int>(counts->size());
  if (const auto sum = std::accumulate(counts->begin(), counts->end(), std::int64_t{0}); sum != size) {
    reader.problem(fmt::format("{} makes {} tasks, not SLURM_STEP_NUM_TASKS={}", tasks, sum, size));
  }
  if (step.node_rank >= step.node_count) {
    reader.problem(fmt::format("SLURM_NODEID={} is not below the {} nodes of {}", step.node_rank,
                               step.node_count, tasks));
    return;
  }
  step.local_size = (*counts)[static_cast<std::size_t>(step.node_rank)];
  if (step.local_rank >= step.local_size) {
    reader.problem(fmt::format("SLURM_LOCALID={} is not below {}, which is what {} gives to node {}",
                               step.local_rank, step.local_size, tasks, step.node_rank));
  }
}

void read_first_host(EnvironmentReader& reader, SlurmStep& step) {
  const auto hosts = expand_hosts(reader.text("SLURM_STEP_NODELIST").value_or(""));
  if (hosts) {
    step.first_host = hosts->front();
  } else {
    reader.problem(
        fmt::format("{} is not a list such as gpu[01-04,07]", shown(reader, "SLURM_STEP_NODELIST")));
  }
}

// Only an arbitrary distribution does this, and only task 0 can detect it.
void require_first_task_on_first_host(EnvironmentReader& reader, const SlurmStep& step) {
  if (reader.text("SLURM_PROCID") == "0" && step.node_rank != 0 && !reader.has("MASTER_ADDR")) {
    reader.problem(fmt::format(
        "SLURM_PROCID=0 has SLURM_NODEID={}, so it is not on {}, where the others would look for it; set "
        "MASTER_ADDR to its host",
        step.node_rank, step.first_host));
  }
}

}  // namespace

SlurmStep read_slurm_step(EnvironmentReader& reader, int size) {
  SlurmStep step;
  step.local_rank = reader.number("SLURM_LOCALID", 0, std::numeric_limits<int>::max()).value_or(0);
  step.node_rank = reader.number("SLURM_NODEID", 0, std::numeric_limits<int>::max()).value_or(0);
  read_task_counts(reader, size, step);
  read_first_host(reader, step);
  require_first_task_on_first_host(reader, step);
  const std::uint32_t job = reader.id("SLURM_JOB_ID").value_or(0);
  const std::uint32_t step_number = reader.id("SLURM_STEP_ID").value_or(0);
  step.port = static_cast<int>(kFirstPort + (job * kStepsPerJob + step_number) % kPortCount);
  return step;
}

}  // namespace lockstep
