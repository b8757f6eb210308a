#include "parity/digests.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace lockstep::testing {
namespace {

std::int64_t digest_of(const torch::Tensor& tensor) {
  return Digests(64).of({tensor}).item<std::int64_t>();
}

// The numbers are from Python.
TEST(Digests, AreThoseOfThePeer) {
  EXPECT_EQ(digest_of(torch::arange(8, torch::kFloat32)), -3210840177605869568);
  EXPECT_EQ(digest_of(torch::tensor(3, torch::kInt64)), 645664597830827399);
}

TEST(Digests, SeeEveryBit) {
  const torch::Tensor value = torch::ones({4, 4});
  for (std::int64_t i = 0; i < value.numel(); ++i) {
    torch::Tensor next = value.clone();
    next.view(-1)[i] = std::nextafter(1.0F, 2.0F);
    EXPECT_NE(digest_of(next), digest_of(value)) << i;
  }
  EXPECT_NE(digest_of(-torch::zeros(2)), digest_of(torch::zeros(2)));
}

TEST(Digests, SeeTheOrder) {
  EXPECT_NE(digest_of(torch::tensor({1, 2})), digest_of(torch::tensor({2, 1})));
}

TEST(Digests, AreOfValuesNotOfStrides) {
  const torch::Tensor matrix = torch::arange(4, torch::kFloat32).view({2, 2});
  EXPECT_EQ(digest_of(matrix.t().contiguous().t()), digest_of(matrix));
}

}  // namespace
}  // namespace lockstep::testing
