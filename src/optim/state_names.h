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
  std::vector<std::string_view> allowed;  // what may be there as well
};

// What is missing, too many, or of another shape or type, a line each.
std::vector<std::string> find_misfits(const optim::State& state, const std::vector<ExpectedState>& expected);
// Throws Error{kInvalidArgument} with all of them.
void require_none(const std::vector<std::string>& misfits);

}  // namespace lockstep
