#pragma once

// Two nets that are trained side by side.

#include <torch/types.h>

#include <utility>

#include "lockstep/distributed_data_parallel.h"
#include "optim/odd_net.h"

namespace lockstep::testing {

// Two nets with the same parameters: one under test, one that says what to expect.
struct NetPair {
  NetPair(World& world, DdpOptions options = small_buckets())
      : model(net, world, std::move(options)), reference(plain, world, small_buckets()) {
    copy_parameters(*net, *plain);
  }

  void backward(const torch::Tensor& x) {
    model(x).square().mean().backward();
    reference(x).square().mean().backward();
  }

  OddNet net;
  OddNet plain;
  DistributedDataParallel<OddNet> model;
  DistributedDataParallel<OddNet> reference;
};

inline void expect_close(const torch::nn::Module& actual, const torch::nn::Module& expected) {
  const auto wanted = expected.named_parameters();
  for (const auto& parameter : actual.named_parameters()) {
    EXPECT_TRUE(torch::allclose(parameter.value(), wanted[parameter.key()], 1e-5, 1e-7)) << parameter.key();
  }
}

}  // namespace lockstep::testing
