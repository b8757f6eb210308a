#pragma once

// The facts of a machine without fault, for tests to break one at a time.

#include <string_view>
#include <vector>

#include "cli/doctor/checks.h"

namespace lockstep::doctor {

// 8 cores with AVX2, 32 GiB, no limits, Linux 6.1, libtorch 2.13.0 with MKL, no MPI and no GPU.
Facts healthy_facts();

// The check of that name; throws when there is none.
Check check_named(const std::vector<Check>& checks, std::string_view name);

}  // namespace lockstep::doctor
