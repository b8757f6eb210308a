#include "cli/run/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/run/core_shares.h"
#include "cli/run/plan.h"

namespace lockstep::run {
namespace {

constexpr int kMaxRanks = 1 << 20;
constexpr int kTorchrunPort = 29500;

std::optional<int> parse_count(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && number >= 1 && number <= kMaxRanks ? std::optional(number) : std::nullopt;
}

int count_ranks(const Options& options, const HostFacts& host, std::vector<std::string>& problems) {
  const std::string& text = options.nproc_per_node;
  if (text == "auto" || text == "cpu") {
    return count_places(host.topology, options.bind, options.threads_per_rank.value_or(1));
  }
  if (text == "gpu") {
    if (host.gpus == 0) {
      problems.emplace_back("--nproc-per-node: 'gpu', but there is no GPU here (no /dev/nvidia0)");
    }
    return std::max(1, host.gpus);
  }
  const auto count = parse_count(text);
  if (!count) {
    problems.push_back(fmt::format(
        "--nproc-per-node: '{}' is neither a number from 1 to {} nor auto, cpu or gpu", text, kMaxRanks));
  }
  return count.value_or(1);
}

// "2", or torchrun's "2:2"; a range of hosts would need an elastic rendezvous.
int count_nodes(const std::string& text, std::vector<std::string>& problems) {
  const auto colon = text.find(':');
  const auto least = parse_count(std::string_view(text).substr(0, colon));
  const auto most =
      colon != std::string::npos ? parse_count(std::string_view(text).substr(colon + 1)) : least;
  if (!least || !most) {
    problems.push_back(fmt::format("--nnodes: '{}' is not a number of hosts", text));
  } else if (*least != *most) {
    problems.push_back(
        fmt::format("--nnodes: '{}': the number of hosts cannot change here, give one number", text));
  }
  return least.value_or(1);
}

struct Endpoint {
  std::string host;
  std::optional<int> port;
};

std::string without_brackets(const std::string& host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

// HOST, HOST:PORT, [IPv6]:PORT, or a bare IPv6 address.
Endpoint split_endpoint(const std::string& text, std::vector<std::string>& problems) {
  const auto colon = text.rfind(':');
  const bool is_bare_ipv6 = std::count(text.begin(), text.end(), ':') > 1 && !text.starts_with('[');
  if (colon == std::string::npos || is_bare_ipv6 || text.ends_with(']')) {
    return {.host = without_brackets(text), .port = std::nullopt};
  }
  const auto port = parse_count(std::string_view(text).substr(colon + 1));
  if (!port || *port > 65535) {
    problems.push_back(fmt::format("--rdzv-endpoint: '{}' is not HOST or HOST:PORT", text));
  }
  return {.host = without_brackets(text.substr(0, colon)), .port = port};
}

void place_master(const Options& options, const HostFacts& host, Placement& place,
                  std::vector<std::string>& problems) {
  Endpoint endpoint;
  if (options.rdzv_endpoint) {
    endpoint = split_endpoint(*options.rdzv_endpoint, problems);
  }
  const bool alone = place.node_count == 1;
  if (options.master_addr) {
    endpoint.host = *options.master_addr;
  }
  if (endpoint.host.empty() && !alone) {
    problems.emplace_back(
        "--master-addr is needed with several hosts: the address of the one with --node-rank 0");
  }
  place.master_address = alone && endpoint.host.empty() ? "127.0.0.1" : endpoint.host;
  const int usual_port = alone ? host.free_port : kTorchrunPort;
  place.master_port = options.master_port.value_or(endpoint.port.value_or(usual_port));
}

}  // namespace

Placement place_ranks(const Options& options, const HostFacts& host, std::vector<std::string>& problems) {
  Placement place{.ranks = count_ranks(options, host, problems), .threads = options.threads_per_rank};
  if (!place.threads && (options.nproc_per_node == "auto" || options.nproc_per_node == "cpu")) {
    place.threads = 1;
  }
  place.node_count = count_nodes(options.nnodes, problems);
  place.node_rank = options.node_rank;
  if (options.standalone && place.node_count > 1) {
    problems.push_back(fmt::format("--standalone means one host, --nnodes says {}", place.node_count));
  }
  if (place.node_rank >= place.node_count) {
    problems.push_back(
        fmt::format("--node-rank: {} is not below the {} of --nnodes", place.node_rank, place.node_count));
  }
  place.first_rank =
      place.node_rank * place.ranks;  // every host has the same number, as with torchrun's static rendezvous
  place.world_size = place.node_count * place.ranks;
  place_master(options, host, place, problems);
  return place;
}

}  // namespace lockstep::run
