#pragma once

// Tells which kind of backward this thread runs.

namespace lockstep {

// A backward that accumulates into every leaf it reaches, unlike torch::autograd::grad().
bool in_plain_backward();

}  // namespace lockstep
