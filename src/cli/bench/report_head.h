#pragma once

// The beginning of every JSON report.

#include <nlohmann/json_fwd.hpp>

#include "cli/bench/host.h"

namespace lockstep::bench {

// Format 1, this lockstep, the machine with the versions of the participants, and the meaning of each number.
nlohmann::ordered_json report_head(const Machine& machine, const nlohmann::ordered_json& versions,
                                   const nlohmann::ordered_json& formula);

}  // namespace lockstep::bench
