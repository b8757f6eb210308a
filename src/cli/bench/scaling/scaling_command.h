#pragma once

// `lockstep bench scaling`: how the cost of data-parallel training grows with ranks, parameters and steps.

namespace lockstep::bench::scaling {

int run_scaling_command(int argc, const char* const* argv);

}  // namespace lockstep::bench::scaling
