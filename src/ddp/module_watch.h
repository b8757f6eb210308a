#pragma once

// Notices that a module is no longer the one that was wrapped. Gradients of a parameter that came later would never
// be averaged, and nothing else would tell.

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace lockstep {

class ModuleWatch {
 public:
  explicit ModuleWatch(const torch::nn::Module& module);

  // Throws Error{kInvalidArgument} naming the parameter that was replaced, has changed its type or shape, or is
  // trained now and was not.
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
