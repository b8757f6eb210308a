#pragma once

// Describes the machine of a benchmark, as far as it matters to the numbers.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lockstep::bench {

struct Machine {
  std::string processor;
  int cores = 0;  // usable by this process
  std::string kernel;
  std::string load_before;  // averages over 1, 5 and 15 minutes
  std::string load_after;
};

// Everything except the load afterwards.
Machine describe_machine();

// "0.52 0.58 0.59": over 1, 5 and 15 minutes.
std::string load_averages();

// "2 cores"
std::string cores_text(const Machine& machine);

// Two lines for a table.
std::string machine_lines(const Machine& machine);
// An object for a report.
nlohmann::ordered_json machine_json(const Machine& machine);

}  // namespace lockstep::bench
