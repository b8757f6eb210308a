#include "support/assertion_recorder.h"

#include <utility>

namespace lockstep::testing {
namespace {

constexpr std::size_t kMaxFailures = 100;

}  // namespace

AssertionRecorder::AssertionRecorder(InterceptMode threads, Sink sink)
    : ScopedFakeTestPartResultReporter(threads, nullptr), sink_(std::move(sink)) {}

void AssertionRecorder::ReportTestPartResult(const ::testing::TestPartResult& result) {
  if (!result.failed()) {
    return;
  }
  ++count_;
  AssertionFailure failure{.file = result.file_name() != nullptr ? result.file_name() : "",
                           .line = result.line_number(),
                           .message = result.message()};
  if (count_ == kMaxFailures + 1) {
    failure.message = "This and perhaps more assertions failed; they are not listed.";
  }
  if (count_ <= kMaxFailures + 1) {
    sink_(failure);
  }
}

}  // namespace lockstep::testing
