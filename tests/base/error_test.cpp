#include "lockstep/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace lockstep {
namespace {

using std::chrono::milliseconds;

TEST(Error, SaysCodeAndMessageWhenNothingElseIsKnown) {
  const Error error(ErrorCode::kTimeout, "no answer");
  EXPECT_STREQ(error.what(), "timeout: no answer");
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_EQ(error.message(), "no answer");
  EXPECT_FALSE(error.rank() || error.peer() || error.sequence() || error.elapsed());
  EXPECT_EQ(error.operation(), "");
  EXPECT_EQ(error.label(), "");
  EXPECT_EQ(error.cause(), nullptr);
}

TEST(Error, PutsEveryFieldIntoTheText) {
  const Error error = Error(ErrorCode::kPeerLost, "process 4711 was killed by SIGKILL")
                          .with_operation("all_reduce")
                          .with_sequence(42)
                          .with_label("bucket 3")
                          .with_rank(0)
                          .with_peer(3)
                          .with_elapsed(milliseconds(1200));
  EXPECT_STREQ(error.what(),
               "all_reduce #42 'bucket 3' on rank 0 with peer 3 failed after 1.20 s: "
               "peer lost: process 4711 was killed by SIGKILL");
  EXPECT_EQ(error.rank(), 0);
  EXPECT_EQ(error.peer(), 3);
  EXPECT_EQ(error.operation(), "all_reduce");
  EXPECT_EQ(error.sequence(), 42U);
  EXPECT_EQ(error.label(), "bucket 3");
  EXPECT_EQ(error.elapsed(), milliseconds(1200));
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error(ErrorCode::kAborted, "stop").with_operation("barrier").what(),
               "barrier failed: aborted: stop");
  EXPECT_STREQ(Error(ErrorCode::kAborted, "stop").with_rank(2).what(), "on rank 2: aborted: stop");
}

TEST(Error, ShowsTheWholeChainOfCauses) {
  std::exception_ptr cause;
  try {
    try {
      throw std::runtime_error("the disk is full");
    } catch (...) {
      std::throw_with_nested(std::runtime_error("cannot write part 1"));
    }
  } catch (...) {
    cause = std::current_exception();
  }
  const Error inner = Error(ErrorCode::kSystem, "cannot save").with_cause(cause);
  const Error outer =
      Error(ErrorCode::kAborted, "training stopped").with_cause(std::make_exception_ptr(inner));
  EXPECT_STREQ(outer.what(),
               "aborted: training stopped\n"
               "  caused by: system error: cannot save\n"
               "  caused by: cannot write part 1\n"
               "  caused by: the disk is full");
}

TEST(Error, NamesTheCallAndTheObjectOfASystemError) {
  EXPECT_STREQ(Error::from_errno(ENOENT, "open", "a.txt").what(),
               "system error: open a.txt: No such file or directory");
  EXPECT_STREQ(Error::from_errno(EMFILE, "pipe2").what(), "system error: pipe2: Too many open files");
}

TEST(Error, CopiesAreIndependent) {
  const Error original(ErrorCode::kTimeout, "no answer");
  const Error changed = Error(original).with_rank(1);
  EXPECT_STREQ(original.what(), "timeout: no answer");
  EXPECT_STREQ(changed.what(), "on rank 1: timeout: no answer");
}

TEST(Error, CopiesWithoutThrowing) {
  static_assert(std::is_nothrow_copy_constructible_v<Error>);
  const Error original(ErrorCode::kTimeout, "no answer");
  const Error copy =
      original;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the subject
  EXPECT_EQ(copy.what(), original.what()) << "copies share their text";
}

TEST(ErrorCode, HasATextOfItsOwnForEveryValue) {
  std::set<std::string_view> texts = {"", to_string(static_cast<ErrorCode>(-1))};
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    EXPECT_TRUE(texts.insert(to_string(static_cast<ErrorCode>(code))).second) << code;
  }
}

TEST(DescribeException, CopesWithWhatIsNoException) {
  EXPECT_EQ(describe_exception(std::make_exception_ptr(7)), "unknown exception");
  EXPECT_EQ(describe_exception(nullptr), "no exception");
}

}  // namespace
}  // namespace lockstep
