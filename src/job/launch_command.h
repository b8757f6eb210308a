#pragma once

// The command that started a job, for messages that say how to start it again: a worker sees only its own command.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Names the launcher's part in the worker's environment: "lockstep run --nproc-per-node 2".
inline constexpr std::string_view kLaunchVariable = "LOCKSTEP_LAUNCHED_BY";

// The part in front of the worker's own command; empty if no launcher set it.
std::string launch_command();

// This process's command line without its last `count` words.
std::vector<std::string> own_command(std::size_t count);

// As typed in a shell: words with special characters are quoted.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace lockstep
