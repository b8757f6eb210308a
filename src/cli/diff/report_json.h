#pragma once

// All differences between two checkpoints, as JSON.

#include <string>

#include "cli/diff/checkpoint_difference.h"
#include "cli/diff/page.h"

namespace lockstep::diff {

std::string to_json_text(const Side& a, const Side& b, const CheckpointDifference& difference);

}  // namespace lockstep::diff
