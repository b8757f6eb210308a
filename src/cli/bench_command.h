#pragma once

// `lockstep bench allreduce`: how fast all-reduce is on this machine, compared with libtorch's Gloo, Open MPI and the
// limits of the hardware. `lockstep bench worker` is one rank of it, started by the command itself. `lockstep bench
// step` and `lockstep bench scaling`, in separate files: how long a training step takes, and how that scales.

namespace lockstep::cli {

int run_bench(int argc, const char* const* argv);

}  // namespace lockstep::cli
