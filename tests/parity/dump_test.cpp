#include "parity/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "base/temp_dir.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

// 1 and -2 as f32, then 3 as i64: the second is not aligned to its size.
constexpr std::string_view kData("\0\0\x80\x3f\0\0\0\xc0\0\0\x40\x40\3\0\0\0\0\0\0\0", 20);

Dump dump_of(const TempDir& folder, std::string_view index) {
  folder.write("0.index", index);
  folder.write("0.data", kData);
  return Dump(folder.path() / "0");
}

std::string error_of(std::string_view index) {
  const TempDir folder;
  try {
    dump_of(folder, index);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    return error.message();
  }
  return "no error";
}

TEST(Dump, ReadsTensorsOfEveryTypeAndShape) {
  const TempDir folder;
  const Dump dump = dump_of(folder, "row f32 1x3 0\ncount i64 - 12\nnothing f32 0x3 20\n");
  EXPECT_TRUE(torch::equal(dump.tensor("row"), torch::tensor({{1.0F, -2.0F, 3.0F}})));
  EXPECT_TRUE(torch::equal(dump.tensor("count"), torch::tensor(3, torch::kInt64)));
  EXPECT_EQ(dump.tensor("nothing").sizes(), (std::vector<std::int64_t>{0, 3}));
}

TEST(Dump, KnowsItsNames) {
  const TempDir folder;
  const Dump dump = dump_of(folder, "a/x f32 2 0\na/y f32 2 0\nab f32 2 0\n");
  EXPECT_TRUE(dump.has("a/x"));
  EXPECT_FALSE(dump.has("a"));
  EXPECT_EQ(dump.count("a/"), 2U);
  EXPECT_EQ(dump.count("b"), 0U);
  EXPECT_THROW(dump.tensor("b"), Error);
}

TEST(Dump, RefusesWhatItCannotHaveWritten) {
  EXPECT_THAT(error_of("row f32 1x3\n"), HasSubstr(".index has the line 'row f32 1x3'"));
  EXPECT_THAT(error_of("row f16 1x3 0\n"), HasSubstr("a dump has no type 'f16'"));
  EXPECT_THAT(error_of("row f32 2xy 0\n"), HasSubstr("a dump has no shape '2xy'"));
  EXPECT_THAT(error_of("row f32 -2 0\n"), HasSubstr("a dump has no shape '-2'"));
  EXPECT_THAT(error_of("row f32 2x3 0\n"), HasSubstr("'row' is 24 bytes at 0 of "));
  EXPECT_THAT(error_of("row f32 1 17\n"), HasSubstr("0.data, which has only 20"));
}

TEST(Dump, SaysWhichFileIsMissing) {
  const TempDir folder;
  folder.write("0.data", kData);
  try {
    const Dump dump(folder.path() / "0");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_EQ(error.message(), "there is no " + (folder.path() / "0.index").string());
  }
}

}  // namespace
}  // namespace lockstep::testing
