#pragma once

// Takes the GoogleTest assertions that fail in a rank out of the running test, so that the harness can report
// them with the number of the rank, and out of a forked process at all.
//
// Trap: HasFailure() and HasFatalFailure() do not see them, in the rank as in the parent. Inside a rank use
// ASSERT_NO_FATAL_FAILURE(function()).

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

#include "support/rank_report.h"

namespace lockstep::testing {

class AssertionRecorder final : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  using Sink = std::function<void(const AssertionFailure&)>;

  // Failures of the calling thread go to `sink`, or those of all threads that have no recorder of their own.
  // GoogleTest calls it for one failure at a time; it may not use an assertion itself. After a hundred
  // failures it hears of one more, which says that there are others.
  AssertionRecorder(InterceptMode threads, Sink sink);

  void ReportTestPartResult(const ::testing::TestPartResult& result) override;

 private:
  Sink sink_;
  std::size_t count_ = 0;
};

}  // namespace lockstep::testing
