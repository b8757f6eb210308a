#pragma once

// Queries libtorch through the helper program lockstep-torch-probe, which is installed in the libexec folder. Any
// failure of the helper becomes a fact, never an exception.

#include <chrono>
#include <filesystem>
#include <string_view>

#include "cli/doctor/facts.h"

namespace lockstep::doctor {

// The path of the helper, relative to the folder of this program; empty if it does not exist.
std::filesystem::path find_torch_probe();

// Runs the helper. Loading libtorch from a cold disk can take some ten seconds, hence the long deadline.
TorchFacts run_torch_probe(const std::filesystem::path& probe,
                           std::chrono::nanoseconds patience = std::chrono::seconds(60));

}  // namespace lockstep::doctor
