#include "optim/state_names.h"

#include <c10/util/StringUtil.h>

#include <unordered_set>

#include "lockstep/error.h"

namespace lockstep {
namespace {

Error misfit(const std::string& reason) {
  return {ErrorCode::kInvalidArgument, "this is not a state of this optimizer: " + reason};
}

void require_shape(const std::string& name, const torch::Tensor& tensor, const torch::Tensor& parameter) {
  if (tensor.sizes() != parameter.sizes() || tensor.scalar_type() != parameter.scalar_type()) {
    throw misfit(c10::str("'", name, "' is ", tensor.sizes(), " ", c10::toString(tensor.scalar_type()),
                          ", its parameter ", parameter.sizes(), " ",
                          c10::toString(parameter.scalar_type())));
  }
}

void require_all_or_nothing(const optim::State& state, const ExpectedState& expected) {
  std::string missing;
  std::string present;
  for (const std::string_view kind : expected.kinds) {
    const std::string name = state_name(expected.parameter, kind);
    const auto found = state.find(name);
    if (found == state.end()) {
      missing = name;
      continue;
    }
    present = name;
    if (kind != kStepName) {
      require_shape(name, found->second, expected.parameter.tensor);
    } else if (found->second.numel() != 1) {
      throw misfit(c10::str("'", name, "' is to be a single number and is ", found->second.sizes()));
    }
  }
  if (!missing.empty() && !present.empty()) {
    throw misfit(c10::str("it has '", present, "' and not '", missing, "'"));
  }
}

}  // namespace

std::string state_name(const NamedTensor& parameter, std::string_view kind) {
  return parameter.name + "/" + std::string(kind);
}

void require_fit(const optim::State& state, const std::vector<ExpectedState>& expected) {
  std::unordered_set<std::string> known;
  for (const ExpectedState& one : expected) {
    require_all_or_nothing(state, one);
    for (const std::string_view kind : one.kinds) {
      known.insert(state_name(one.parameter, kind));
    }
  }
  for (const auto& [name, tensor] : state) {
    if (known.count(name) == 0) {
      throw misfit(c10::str("nothing here keeps '", name, "'"));
    }
  }
}

}  // namespace lockstep
