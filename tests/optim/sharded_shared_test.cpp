// One set of parameters for all ranks of a host: the numbers of replicated ones, and what happens to those who write.

#include <gtest/gtest.h>

#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"

namespace lockstep::testing {
namespace {

using torch::optim::SGDOptions;

TEST(SharedParameters, HaveTheNumbersOfReplicatedOnes) {
  run_world(2, [](World& world) {
    OddNet net;
    OddNet plain;
    DistributedDataParallel model(net, world, small_buckets());
    DistributedDataParallel reference(plain, world, small_buckets());
    copy_parameters(*net, *plain);
    optim::SGD a(model, SGDOptions(0.1).momentum(0.9), {.parameters = optim::Parameters::kShared});
    optim::SGD b(reference, SGDOptions(0.1).momentum(0.9));
    for (int i = 0; i < 5; ++i) {
      a.zero_grad();
      b.zero_grad();
      const auto x = torch::randn({6, 7});
      model(x).square().mean().backward();
      reference(x).square().mean().backward();
      a.step();
      b.step();
      expect_equal_parameters(*net, *plain);
    }
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
