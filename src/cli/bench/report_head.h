#pragma once

// What every report for programs begins with.

#include <nlohmann/json_fwd.hpp>

#include "cli/bench/host.h"

namespace lockstep::bench {

// Format 1, this lockstep, the machine with the versions of what took part, and what each number means.
nlohmann::ordered_json report_head(const Machine& machine, const nlohmann::ordered_json& versions,
                                   const nlohmann::ordered_json& formula);

}  // namespace lockstep::bench
