#pragma once

// What kind of backward this thread is in.

namespace lockstep {

// One that accumulates into every leaf it meets, unlike torch::autograd::grad().
bool in_plain_backward();

}  // namespace lockstep
