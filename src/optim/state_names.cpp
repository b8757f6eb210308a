#include "optim/state_names.h"

#include <c10/util/StringUtil.h>

#include <unordered_set>

#include "lockstep/error.h"

namespace lockstep {
namespace {

bool has_form_of(const torch::Tensor& tensor, const torch::Tensor& parameter) {
  return tensor.sizes() == parameter.sizes() && tensor.scalar_type() == parameter.scalar_type();
}

std::string form_of(const torch::Tensor& tensor) {
  return c10::str(tensor.sizes(), " ", c10::toString(tensor.scalar_type()));
}

// A parameter has all of its state or none, each tensor with the right shape and type.
void compare(const optim::State& state, const ExpectedState& expected, std::vector<std::string>& misfits) {
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
    const torch::Tensor& tensor = found->second;
    if (kind == kStepName && tensor.numel() != 1) {
      misfits.push_back(c10::str("'", name, "' is to be a single number and is ", tensor.sizes()));
    } else if (kind != kStepName && !has_form_of(tensor, expected.parameter.tensor)) {
      misfits.push_back(c10::str("'", name, "' is ", form_of(tensor), ", its parameter ",
                                 form_of(expected.parameter.tensor)));
    }
  }
  if (!missing.empty() && !present.empty()) {
    misfits.push_back(c10::str("it has '", present, "' and not '", missing, "'"));
  }
}

}  // namespace

std::string state_name(const NamedTensor& parameter, std::string_view kind) {
  return parameter.name + "/" + std::string(kind);
}

std::vector<std::string> find_misfits(const optim::State& state, const std::vector<ExpectedState>& expected) {
  std::vector<std::string> misfits;
  std::unordered_set<std::string> known;
  for (const ExpectedState& one : expected) {
    compare(state, one, misfits);
    for (const auto* kinds : {&one.kinds, &one.allowed}) {
      for (const std::string_view kind : *kinds) {
        known.insert(state_name(one.parameter, kind));
      }
    }
  }
  for (const auto& [name, tensor] : state) {
    if (known.count(name) == 0) {
      misfits.push_back(c10::str("nothing here keeps '", name, "'"));
    }
  }
  return misfits;
}

void require_none(const std::vector<std::string>& misfits) {
  if (misfits.empty()) {
    return;
  }
  std::string text = "this is not a state of this optimizer: " + misfits.front();
  for (std::size_t i = 1; i < misfits.size(); ++i) {
    text += "\n  " + misfits[i];
  }
  throw Error(ErrorCode::kInvalidArgument, text);
}

}  // namespace lockstep
