#pragma once

// `lockstep bench allreduce`: how fast all-reduce is on this machine, beside libtorch's Gloo, Open MPI and what
// the hardware allows. `lockstep bench worker` is one rank of it, started by the command itself.
// `lockstep bench step`, a file of its own: how long a training step takes.

namespace lockstep::cli {

int run_bench(int argc, const char* const* argv);

}  // namespace lockstep::cli
