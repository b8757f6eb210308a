#pragma once

// `lockstep config-diff A.json B.json`: the options in which two runs differ, from the output of their
// --print-config=json. Exits with 1 when there are differences.

namespace lockstep::cli {

int run_config_diff(int argc, const char* const* argv);

}  // namespace lockstep::cli
