#pragma once

// The names of the tensors in a complete optimizer state, such as "layer.weight/exp_avg", and a check whether a given
// state fits.

#include <string>
#include <string_view>
#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/sharded_optimizer.h"

namespace lockstep {

inline constexpr std::string_view kStepName = "step";

std::string state_name(const NamedTensor& parameter, std::string_view kind);

// The state of one parameter; all of it or none.
struct ExpectedState {
  NamedTensor parameter;
  std::vector<std::string_view>
      kinds;  // kStepName is a single number, all others are shaped like the parameter
  std::vector<std::string_view> allowed;  // may be present as well
};

// The tensors that are missing, unexpected, or of another shape or type, one line each.
std::vector<std::string> find_misfits(const optim::State& state, const std::vector<ExpectedState>& expected);
// Throws Error{kInvalidArgument} with all of them.
void require_none(const std::vector<std::string>& misfits);

}  // namespace lockstep
