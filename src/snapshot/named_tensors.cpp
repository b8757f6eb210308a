#include "snapshot/named_tensors.h"

#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <set>

#include "snapshot/element_type.h"

namespace lockstep::snapshot {

NamedTensors tensors_of(const torch::nn::Module& model) {
  NamedTensors tensors;
  for (const auto& item : model.named_parameters()) {
    tensors.push_back({item.key(), item.value()});
  }
  for (const auto& item : model.named_buffers()) {
    tensors.push_back({item.key(), item.value()});
  }
  return tensors;
}

std::vector<std::string> misfits(const NamedTensors& wanted, const TensorsByName& found) {
  std::vector<std::string> problems;
  std::set<std::string_view> names;
  for (const NamedTensor& item : wanted) {
    names.insert(item.name);
    const auto match = found.find(item.name);
    if (match == found.end()) {
      problems.push_back(item.name + " is missing");
    } else if (form_of(match->second) != form_of(item.tensor)) {
      problems.push_back(
          c10::str(item.name, " is ", form_of(match->second), ", and ", form_of(item.tensor), " is wanted"));
    }
  }
  for (const auto& [name, tensor] : found) {
    if (!names.contains(name)) {
      problems.push_back(c10::str(name, ", ", form_of(tensor), ", is not wanted"));
    }
  }
  return problems;
}

void copy_into(const NamedTensors& wanted, const TensorsByName& found) {
  const torch::NoGradGuard no_gradients;
  for (const NamedTensor& item : wanted) {
    torch::Tensor(item.tensor).copy_(found.at(item.name));
  }
}

std::string form_of(const torch::Tensor& tensor) {
  const auto type = file_type_of(tensor.scalar_type());
  return c10::str(type ? to_string(*type) : c10::toString(tensor.scalar_type()), " ", tensor.sizes());
}

}  // namespace lockstep::snapshot
