#pragma once

// `lockstep bench step`: how long a training step takes with Lockstep, beside PyTorch's DDP and beside no
// communication at all.

namespace lockstep::bench::step {

int run_step_command(int argc, const char* const* argv);

}  // namespace lockstep::bench::step
