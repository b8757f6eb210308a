#include "checkpoint/file_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_bytes.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Manifest manifest_with(const std::vector<std::string>& names) {
  Manifest manifest;
  for (const std::string& name : names) {
    manifest.files.push_back({.name = name, .bytes = 0, .checksum = ""});
  }
  return manifest;
}

TEST(FileParts, AreNamedByNumberAndCount) {
  EXPECT_EQ(part_name("a.b.bin", 1, 1), "a.b.bin");
  EXPECT_EQ(part_name("a.b.bin", 2, 12), "a.b-2-of-12.bin");
  EXPECT_EQ(whole_name("a.b-2-of-12.bin"), "a.b.bin");
  EXPECT_EQ(whole_name("a-1-of-2-3-of-4.bin"), "a-1-of-2.bin");
}

TEST(FileParts, AreNotWhatOnlyLooksLikeOne) {
  for (const char* name :
       {"a.bin", "a", "-1-of-2.bin", "a-0-of-2.bin", "a-3-of-2.bin", "a-01-of-2.bin", "a-1-of-.bin",
        "a--of-2.bin", "a-of-2.bin", "a-1-of-2", "a-x-of-2.bin", "-of-.bin", "a-1-of-99999999999.bin"}) {
    EXPECT_EQ(whole_name(name), name);
  }
}

TEST(FileParts, AreFoundInOrderAndAllOfThem) {
  const Manifest manifest =
      manifest_with({"a-1-of-3.bin", "a-2-of-3.bin", "a-3-of-3.bin", "b.bin", "c-1-of-2.bin"});
  EXPECT_THAT(parts_of("a.bin", manifest, "x"), ElementsAre("a-1-of-3.bin", "a-2-of-3.bin", "a-3-of-3.bin"));
  EXPECT_THAT(parts_of("b.bin", manifest, "x"), ElementsAre("b.bin"));
  EXPECT_THAT(parts_of("d.bin", manifest, "x"), IsEmpty());
  expect_error([&] { parts_of("c.bin", manifest, "x"); }, ErrorCode::kCorrupt, "x has no c-2-of-2.bin");
}

}  // namespace
}  // namespace lockstep::checkpoint
