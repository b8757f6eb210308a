#pragma once

// Tensors by name: the form in which the state of a model or an optimizer is saved, and compared with its destination.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::snapshot {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;  // shared with its owner
};
using NamedTensors = std::vector<NamedTensor>;

// Tensors read from a file.
using TensorsByName = std::map<std::string, torch::Tensor>;

// The parameters and module buffers of a model, under the names that the module gives them, which are PyTorch's too. A
// tensor with two names is listed twice.
NamedTensors tensors_of(const torch::nn::Module& model);

// Why `found` cannot replace `wanted`: "fc.weight is missing", "fc.bias has the shape [3], and [4] is wanted",
// "fc.extra is not wanted", one line each, in the order of `wanted`.
std::vector<std::string> misfits(const NamedTensors& wanted, const TensorsByName& found);

// Copies the contents. Requires that misfits() is empty.
void copy_into(const NamedTensors& wanted, const TensorsByName& found);

// "F32 [2, 3]", with the type names of the file format.
std::string form_of(const torch::Tensor& tensor);

}  // namespace lockstep::snapshot
