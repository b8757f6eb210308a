#pragma once

// Tensors by name: the form in which the state of a model or an optimizer is saved, and compared with what it is to be
// loaded into.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::snapshot {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;  // shared with whoever has it
};
using NamedTensors = std::vector<NamedTensor>;

// What was read.
using TensorsByName = std::map<std::string, torch::Tensor>;

// The parameters and buffers of a model, under the names that the module gives them; PyTorch's are the same. A tensor
// that it has under two names comes twice.
NamedTensors tensors_of(const torch::nn::Module& model);

// What keeps `found` from taking the place of `wanted`: "fc.weight is missing", "fc.bias has the shape [3], and [4] is
// wanted", "fc.extra is not wanted", a line each, in the order of `wanted`.
std::vector<std::string> misfits(const NamedTensors& wanted, const TensorsByName& found);

// Copies the contents. Everything fits.
void copy_into(const NamedTensors& wanted, const TensorsByName& found);

// "F32 [2, 3]", with the types' names in files.
std::string form_of(const torch::Tensor& tensor);

}  // namespace lockstep::snapshot
