#pragma once

// The names under which the state of an optimizer is whole: "layer.weight/exp_avg". And whether a state that somebody
// brings fits.

#include <string>
#include <string_view>
#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/sharded_optimizer.h"

namespace lockstep {

inline constexpr std::string_view kStepName = "step";

std::string state_name(const NamedTensor& parameter, std::string_view kind);

// What one parameter has as state, all of it or nothing.
struct ExpectedState {
  NamedTensor parameter;
  std::vector<std::string_view>
      kinds;  // kStepName is a single number, all others are shaped like the parameter
};

// Throws Error{kInvalidArgument} that names what is missing, too many, or of another shape or type.
void require_fit(const optim::State& state, const std::vector<ExpectedState>& expected);

}  // namespace lockstep
