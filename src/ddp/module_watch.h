#pragma once

// Detects that a module is no longer the one that was wrapped. Gradients of a parameter added later would silently
// never be averaged.

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace lockstep {

class ModuleWatch {
 public:
  explicit ModuleWatch(const torch::nn::Module& module);

  // Throws Error{kInvalidArgument} with the parameter that was replaced, has changed its type or shape, or has become
  // trainable.
  void check() const;

 private:
  struct Seen {
    std::string name;
    torch::Tensor tensor;
    torch::ScalarType type;
    std::vector<std::int64_t> sizes;
    bool trained;
  };

  void compare(const Seen& seen, const torch::Tensor& now) const;

  const torch::nn::Module& module_;
  std::vector<Seen> seen_;
};

}  // namespace lockstep
