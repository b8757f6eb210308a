#include "launch/node_census.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstring>
#include <vector>

namespace lockstep {
namespace {

constexpr std::size_t kNameBytes = HOST_NAME_MAX + 1;

}  // namespace

NodePlace find_node(std::span<const std::string> host_of_rank, int rank) {
  std::vector<std::string> hosts;
  for (const std::string& host : host_of_rank) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      hosts.push_back(host);
    }
  }
  const auto mine = std::find(hosts.begin(), hosts.end(), host_of_rank[static_cast<std::size_t>(rank)]);
  return {.rank = static_cast<int>(mine - hosts.begin()), .count = static_cast<int>(hosts.size())};
}

NodePlace take_node_census(Communicator& communicator, const std::string& host_name,
                           std::chrono::nanoseconds timeout) {
  std::vector<std::byte> mine(kNameBytes);
  std::memcpy(mine.data(), host_name.data(), std::min(host_name.size(), kNameBytes - 1));
  std::vector<std::byte> all(kNameBytes * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(mine, all, {.label = "node census", .timeout = timeout});
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < all.size(); at += kNameBytes) {
    hosts.emplace_back(reinterpret_cast<const char*>(all.data() + at));
  }
  return find_node(hosts, communicator.rank());
}

}  // namespace lockstep
