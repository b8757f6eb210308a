#pragma once

// A small module whose parameters have awkward sizes and one of them awkward strides, so that slices cut through them.

#include <string>
#include <vector>

#include "ddp/ddp_ranks.h"

namespace lockstep::testing {

struct OddNetImpl : torch::nn::Module {
  OddNetImpl() {
    first = register_module("first", torch::nn::Linear(7, 33));
    norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({33})));
    mixed = register_parameter("mixed", torch::randn({21, 33}).t());
    last = register_module("last", torch::nn::Linear(21, 5));
  }
  torch::Tensor forward(const torch::Tensor& x) { return last(torch::tanh(norm(first(x)).matmul(mixed))); }
  torch::nn::Linear first{nullptr}, last{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::Tensor mixed;
};
TORCH_MODULE(OddNet);

// Several buckets, with several parameters in most of them.
inline DdpOptions small_buckets() {
  return {.bucket_caps = {256, 2048}};
}

inline void copy_parameters(const torch::nn::Module& from, const torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto source = from.parameters();
  for (std::size_t i = 0; i < source.size(); ++i) {
    to.parameters()[i].copy_(source[i]);
  }
}

// The bytes of all parameters, row-major.
inline std::string bits_of(const torch::nn::Module& module) {
  std::string bits;
  for (const torch::Tensor& parameter : module.parameters()) {
    const torch::Tensor packed = parameter.detach().contiguous();
    bits.append(static_cast<const char*>(packed.data_ptr()), static_cast<std::size_t>(packed.nbytes()));
  }
  return bits;
}

inline void expect_equal_parameters(const torch::nn::Module& actual, const torch::nn::Module& expected) {
  const auto wanted = expected.named_parameters();
  for (const auto& parameter : actual.named_parameters()) {
    EXPECT_TRUE(torch::equal(parameter.value(), wanted[parameter.key()])) << parameter.key();
  }
}

}  // namespace lockstep::testing
