#pragma once

// The prefix of each line of a worker: torchrun's template, filled in.

#include <string>
#include <string_view>

namespace lockstep::run {

struct PrefixFields {
  std::string_view role;
  int rank = 0;
  int local_rank = 0;
  std::string_view host;
};

// Replaces ${role_name}, ${rank}, ${local_rank} and ${hostname}; leaves other names unchanged.
std::string line_prefix(std::string_view pattern, const PrefixFields& fields);

// `prefix` in one of a few colours, by rank, for a terminal.
std::string colored_prefix(std::string_view prefix, int rank);

}  // namespace lockstep::run
