#include "base/check.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

TEST(Check, DoesNothingWhenTheConditionHolds) {
  EXPECT_NO_THROW(LOCKSTEP_CHECK(1 + 1 == 2));
}

TEST(Check, NamesTheConditionAndThePlace) {
  try {
    LOCKSTEP_CHECK(1 + 1 == 3);
    FAIL() << "a broken invariant went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_NE(error.message().find("1 + 1 == 3 does not hold at "), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("check_test.cpp:"), std::string::npos) << error.what();
  }
}

TEST(Check, ShowsPathsInsideTheSourceTreeOnly) {
  EXPECT_THROW(
      {
        try {
          check_failed("x", "/somewhere/private/src/base/mutex.h", 12);
        } catch (const Error& error) {
          EXPECT_EQ(error.message(), "x does not hold at src/base/mutex.h:12; please report this");
          throw;
        }
      },
      Error);
}

}  // namespace
}  // namespace lockstep
