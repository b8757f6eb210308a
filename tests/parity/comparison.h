#pragma once

// How far tensors are from those that they should equal.
//
// The relative difference of a tensor is the norm of the difference over the norm of what was expected: single
// elements may be sums that cancel out, and then have no digit that rounding does not reach.

#include <torch/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::testing {

class Comparison {
 public:
  // `tolerance` is the largest relative difference; 0 demands the same bits.
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  // An undefined tensor equals only another one.
  void compare(std::string_view name, const torch::Tensor& actual, const torch::Tensor& expected);

  // Of the tensors that were expected to be defined.
  std::size_t count() const { return count_; }
  // The largest relative difference so far.
  double worst() const { return worst_; }
  // What was wrong first; empty when nothing was.
  const std::string& first_failure() const { return first_failure_; }

 private:
  void fail(std::string_view name, const std::string& reason);

  double tolerance_;
  std::size_t count_ = 0;
  double worst_ = 0;
  std::string first_failure_;
};

}  // namespace lockstep::testing
