#pragma once

// `lockstep bench allreduce`: how fast all-reduce is on this machine, compared with libtorch's Gloo, Open MPI and the
// limits of the hardware. `lockstep bench worker` is one rank of it, started by the command itself. `lockstep bench
// step`, in a separate file: how long a training step takes.

namespace lockstep::cli {

int run_bench(int argc, const char* const* argv);

}  // namespace lockstep::cli
