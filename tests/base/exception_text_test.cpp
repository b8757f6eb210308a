#include "base/exception_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr const char* kOfTorch =
    "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n"
    "Exception raised from meta at ../aten/src/ATen/native/LinearAlgebra.cpp:199 (most recent call first):\n"
    "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x6c (0x7f in libc10.so)\n"
    "frame #1: main + 0x10 (0x55 in ./train)\n"
    "\n";

TEST(ExceptionText, HasNoFramesForPeople) {
  EXPECT_EQ(without_frames(kOfTorch), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  EXPECT_EQ(without_frames(std::string(kOfTorch) + "  caused by: bad luck"),
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n  caused by: bad luck");
  for (const char* plain : {"", "no more data", "two\nlines\n", "a frame #3 in the middle"}) {
    EXPECT_EQ(without_frames(plain), plain);
  }
}

TEST(ExceptionText, IsShortForPeopleAndWholeForTheFile) {
  const auto torch = std::make_exception_ptr(std::runtime_error(kOfTorch));
  EXPECT_EQ(describe_exception(torch), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  EXPECT_EQ(describe_exception_in_full(torch), kOfTorch);
  const auto outer = std::make_exception_ptr(Error(ErrorCode::kCorrupt, "sample 7").with_cause(torch));
  EXPECT_EQ(describe_exception(outer),
            "corrupt data: sample 7\n  caused by: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  EXPECT_EQ(describe_exception_in_full(outer),
            std::string("corrupt data: sample 7\n  caused by: ") + kOfTorch);
}

TEST(ExceptionText, IsTheSameWhereNothingIsLeftOut) {
  try {
    try {
      throw std::runtime_error("inner");
    } catch (...) {
      std::throw_with_nested(std::logic_error("outer"));
    }
  } catch (...) {
    EXPECT_EQ(describe_exception_in_full(std::current_exception()), "outer\n  caused by: inner");
  }
  EXPECT_EQ(describe_exception_in_full(std::make_exception_ptr(7)), "unknown exception");
  EXPECT_EQ(describe_exception_in_full(nullptr), "no exception");
}

}  // namespace
}  // namespace lockstep
