#pragma once

// `lockstep diff A B`: the differences between two checkpoints, or two files of tensors. Exits with 1 when there are
// differences.

namespace lockstep::cli {

int run_diff(int argc, const char* const* argv);

}  // namespace lockstep::cli
