#include "launch/identity.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// Reads variables and collects what is wrong with them.
class Reader {
 public:
  explicit Reader(const std::map<std::string, std::string>& environment) : environment_(environment) {}

  std::optional<std::string> text(const std::string& name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  }

  std::optional<int> number(const std::string& name, int least, int most) {
    const auto value = text(name);
    if (!value) {
      return std::nullopt;
    }
    int result = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), result);
    if (error != std::errc() || end != value->data() + value->size() || result < least || result > most) {
      problem(fmt::format("{}='{}' is not a number from {} to {}", name, *value, least, most));
      return std::nullopt;
    }
    return result;
  }

  void problem(std::string text) { problems_.push_back(std::move(text)); }

  void throw_problems() const {
    if (problems_.empty()) {
      return;
    }
    std::string text = "the environment does not say who this rank is:";
    for (const auto& problem : problems_) {
      text += "\n  " + problem;
    }
    throw Error(ErrorCode::kInvalidConfig, text).with_operation("join");
  }

 private:
  const std::map<std::string, std::string>& environment_;
  std::vector<std::string> problems_;
};

constexpr int kMaxRanks = 1 << 20;

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

void read_ranks(Reader& reader, Identity& identity) {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    if (!reader.text(name)) {
      reader.problem(
          fmt::format("{} is not set; a job of several ranks needs RANK, WORLD_SIZE, MASTER_ADDR and "
                      "MASTER_PORT on each of them, as torchrun sets them",
                      name));
    }
  }
  identity.size = reader.number("WORLD_SIZE", 1, kMaxRanks).value_or(1);
  identity.rank = reader.number("RANK", 0, kMaxRanks).value_or(0);
  if (identity.rank >= identity.size && reader.text("WORLD_SIZE")) {
    reader.problem(fmt::format("RANK={} is not below WORLD_SIZE={}", identity.rank, identity.size));
  }
  identity.master_address = reader.text("MASTER_ADDR").value_or("");
  identity.master_port = reader.number("MASTER_PORT", 1, 65535).value_or(0);
}

// Without LOCAL_WORLD_SIZE, a loopback MASTER_ADDR means that all ranks are here.
void read_local_ranks(Reader& reader, Identity& identity) {
  const auto local_size = reader.number("LOCAL_WORLD_SIZE", 1, identity.size);
  const auto local_rank = reader.number("LOCAL_RANK", 0, identity.size - 1);
  if (local_size) {
    identity.local_size = *local_size;
  } else if (is_loopback(identity.master_address)) {
    identity.local_size = identity.size;
  } else {
    reader.problem(
        fmt::format("LOCAL_WORLD_SIZE is not set, and MASTER_ADDR={} does not tell how many of the {} ranks "
                    "are on this host",
                    identity.master_address, identity.size));
  }
  identity.local_rank = local_rank.value_or(identity.rank % identity.local_size);
  if (identity.local_rank >= identity.local_size) {
    reader.problem(fmt::format("LOCAL_RANK={} is not below LOCAL_WORLD_SIZE={}", identity.local_rank,
                               identity.local_size));
  }
}

void read_nodes(Reader& reader, Identity& identity) {
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

// The port and the run's name tell jobs of one user apart; other users cannot join in any case. A restarted job
// gets another token, so that a process left over from before the restart does not meet the new ones.
std::string derive_token(const Reader& reader, const Identity& identity) {
  return fmt::format("{}:{}/{}/{}", identity.master_address, identity.master_port,
                     reader.text("TORCHELASTIC_RUN_ID").value_or("none"),
                     reader.text("TORCHELASTIC_RESTART_COUNT").value_or("0"));
}

}  // namespace

Identity identify(const std::map<std::string, std::string>& environment) {
  Reader reader(environment);
  Identity identity;
  if (!reader.text("RANK") && !reader.text("WORLD_SIZE")) {
    return identity;
  }
  if (reader.text("WORLD_SIZE") == "1" && reader.text("RANK").value_or("0") == "0") {
    return identity;
  }
  read_ranks(reader, identity);
  read_local_ranks(reader, identity);
  read_nodes(reader, identity);
  reader.throw_problems();
  identity.token = derive_token(reader, identity);
  return identity;
}

}  // namespace lockstep
