#pragma once

// libtorch's Gloo as PyTorch's DDP uses it on CPUs: ProcessGroupGloo with its default options over TCP on the
// loopback device.

#include <memory>

#include "bench_worker/contestant.h"

namespace lockstep::bench {

std::unique_ptr<Contestant> make_gloo_contestant(int rank, int size);

}  // namespace lockstep::bench
