#pragma once

// What --dry-run prints.

#include <string>

#include "cli/run/plan.h"

namespace lockstep::run {

std::string plan_text(const Plan& plan);

}  // namespace lockstep::run
