#pragma once

// Expands the two list formats of Slurm's variables.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Tasks of each node: "2(x3),1" is 2, 2, 2, 1. Nothing if the text is malformed or lists more than a million nodes.
std::optional<std::vector<int>> expand_task_counts(std::string_view text);

// Host names: "gpu[08-10,12],login" is gpu08, gpu09, gpu10, gpu12, login; "r[0-1]n[0-1]" is r0n0, r0n1, r1n0, r1n1.
// Nothing if the text is malformed or lists more than a million hosts.
std::optional<std::vector<std::string>> expand_hosts(std::string_view text);

}  // namespace lockstep
