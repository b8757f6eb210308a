#pragma once

// Runs the built lockstep program the way a user does.

#include <string>
#include <vector>

#include "base/subprocess.h"

namespace lockstep::cli {

CompletedSubprocess run_lockstep(const std::vector<std::string>& arguments, SubprocessOptions options = {});

}  // namespace lockstep::cli
