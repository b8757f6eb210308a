#pragma once

// Asks libtorch about itself through the helper program lockstep-torch-probe, which an installation keeps in
// its libexec folder. Whatever happens to the helper becomes a fact, never an exception.

#include <chrono>
#include <filesystem>
#include <string_view>

#include "cli/doctor/facts.h"

namespace lockstep::doctor {

// Where the helper lies, seen from the folder of this program; empty when it is not there.
std::filesystem::path find_torch_probe();

// Runs the helper. Loading libtorch from a cold disk can take some ten seconds, hence the patience.
TorchFacts run_torch_probe(const std::filesystem::path& probe,
                           std::chrono::nanoseconds patience = std::chrono::seconds(60));

}  // namespace lockstep::doctor
