#pragma once

// `lockstep bench step`: how long a training step takes with Lockstep, compared with PyTorch's DDP and with no
// communication.

namespace lockstep::bench::step {

int run_step_command(int argc, const char* const* argv);

}  // namespace lockstep::bench::step
