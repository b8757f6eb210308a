#include "launch/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "launch/environment_reader.h"
#include "launch/name_list.h"
#include "launch/slurm_step.h"
#include "launch/starter_choice.h"

namespace lockstep {
namespace {

constexpr int kMaxRanks = 1 << 20;

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

void read_ranks(const Starter& starter, EnvironmentReader& reader, Identity& identity) {
  const auto size = reader.number(starter.size, 1, kMaxRanks);
  identity.size = size.value_or(1);
  identity.rank = reader.number(starter.rank, 0, kMaxRanks).value_or(0);
  if (size && identity.rank >= identity.size) {
    reader.problem(
        fmt::format("{}={} is not below {}={}", starter.rank, identity.rank, starter.size, identity.size));
  }
}

void read_address(EnvironmentReader& reader, Identity& identity) {
  identity.master_address = reader.text("MASTER_ADDR").value_or("");
  identity.master_port = reader.number("MASTER_PORT", 1, 65535).value_or(0);
}

void read_local_rank(const Starter& starter, EnvironmentReader& reader, int otherwise, Identity& identity) {
  identity.local_rank = reader.number(starter.local_rank, 0, identity.size - 1).value_or(otherwise);
  if (identity.local_rank >= identity.local_size) {
    reader.problem(fmt::format("{}={} is not below {}={}", starter.local_rank, identity.local_rank,
                               starter.local_size, identity.local_size));
  }
}

// Nothing, and a problem, if it is unknown. Without LOCAL_WORLD_SIZE, a loopback MASTER_ADDR means that all ranks are
// on this host.
std::optional<int> read_torchrun_local_size(const Starter& starter, EnvironmentReader& reader,
                                            const Identity& identity) {
  if (reader.has(starter.local_size)) {
    return reader.number(starter.local_size, 1, identity.size);
  }
  if (is_loopback(identity.master_address)) {
    return identity.size;
  }
  reader.problem(
      fmt::format("LOCAL_WORLD_SIZE is not set, and MASTER_ADDR={} does not tell how many of the {} ranks "
                  "are on this host",
                  identity.master_address, identity.size));
  return std::nullopt;
}

void read_torchrun_nodes(EnvironmentReader& reader, Identity& identity) {
  const auto group_rank = reader.number("GROUP_RANK", 0, identity.size - 1);
  const auto node_rank = group_rank ? group_rank : reader.number("NODE_RANK", 0, identity.size - 1);
  const auto group_count = reader.number("GROUP_WORLD_SIZE", 1, identity.size);
  identity.node_rank = node_rank.value_or(identity.rank / identity.local_size);
  identity.node_count = group_count.value_or((identity.size + identity.local_size - 1) / identity.local_size);
  if (identity.node_rank >= identity.node_count) {
    reader.problem(
        fmt::format("this is node {}, but there are only {}", identity.node_rank, identity.node_count));
  }
}

void read_torchrun_place(const Starter& starter, EnvironmentReader& reader, Identity& identity) {
  const auto local_size = read_torchrun_local_size(starter, reader, identity);
  if (!local_size) {
    return;
  }
  identity.local_size = *local_size;
  read_local_rank(starter, reader, identity.rank % identity.local_size, identity);
  read_torchrun_nodes(reader, identity);
}

// No MPI tells which host a rank is on, or how the others can reach rank 0.
void read_mpi_place(const Starter& starter, EnvironmentReader& reader, Identity& identity) {
  identity.local_size = reader.number(starter.local_size, 1, identity.size).value_or(identity.size);
  read_local_rank(starter, reader, 0, identity);
  if (identity.local_size == identity.size) {
    return;
  }
  identity.node_count = 0;
  std::vector<std::string> missing = {"MASTER_ADDR", "MASTER_PORT"};
  std::erase_if(missing, [&](const std::string& name) { return reader.has(name); });
  if (!missing.empty()) {
    reader.problem(fmt::format(
        "only {} of {} ranks are on this host, but {} not set; tell all ranks where rank 0 is: {}",
        identity.local_size, identity.size, name_list_is(missing), starter.give_address));
  }
}

void read_slurm_place(EnvironmentReader& reader, Identity& identity) {
  const SlurmStep step = read_slurm_step(reader, identity.size);
  identity.local_rank = step.local_rank;
  identity.local_size = step.local_size;
  identity.node_rank = step.node_rank;
  identity.node_count = step.node_count;
  if (identity.master_address.empty()) {
    identity.master_address = step.first_host;
  }
  if (identity.master_port == 0) {
    identity.master_port = step.port;
  }
}

void read_place(const Starter& starter, EnvironmentReader& reader, Identity& identity) {
  switch (starter.kind) {
    case StarterKind::kTorchrun:
      read_torchrun_place(starter, reader, identity);
      break;
    case StarterKind::kOpenMpi:
    case StarterKind::kMpich:
    case StarterKind::kMvapich:
      read_mpi_place(starter, reader, identity);
      break;
    case StarterKind::kSlurm:
      read_slurm_place(reader, identity);
      break;
  }
}

// Other users cannot join in any case, so the token only has to tell apart the jobs of one user. Where no variable
// does, the process that started the ranks of this host does, and between hosts the address must.
std::string derive_token(const Starter& starter, const EnvironmentReader& reader, const Identity& identity,
                         const FindSetter& find_setter) {
  std::string token = fmt::format("{}:{}", identity.master_address, identity.master_port);
  for (const std::string_view name : starter.job) {
    token += "/" + reader.text(name).value_or("");
  }
  const bool any_set = std::any_of(starter.job.begin(), starter.job.end(),
                                   [&](std::string_view name) { return reader.has(name); });
  if (starter.is_mpi() && !any_set && identity.local_size == identity.size) {
    token += fmt::format("/{}", find_setter(starter.rank));
  }
  return fmt::format("{}/{}", starter.choice, token);
}

}  // namespace

std::string Recognition::describe() const {
  if (identity.size == 1) {
    return fmt::format("this is the only rank: {}", reason);
  }
  return fmt::format("this is rank {} of {} ({} on this host): {}", identity.rank, identity.size,
                     identity.local_size, reason);
}

Recognition identify(const config::Environment& environment, const FindSetter& find_setter) {
  EnvironmentReader reader(environment);
  StarterChoice choice = choose_starter(reader);
  Recognition recognition{.identity = {}, .starter = choice.starter, .reason = std::move(choice.reason)};
  Identity& identity = recognition.identity;
  if (choice.starter != nullptr) {
    read_ranks(*choice.starter, reader, identity);
  }
  if (identity.size > 1 || !choice.complete) {
    read_address(reader, identity);
  }
  if (identity.size > 1 && choice.complete) {
    read_place(*choice.starter, reader, identity);
  }
  reader.throw_problems();
  if (identity.size > 1) {
    identity.token = derive_token(*choice.starter, reader, identity, find_setter);
  }
  return recognition;
}

}  // namespace lockstep
