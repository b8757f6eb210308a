#include "base/temp_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "lockstep/error.h"
#include "support/scoped_variable.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::ScopedVariable;

std::string content_of(const fs::path& file) {
  std::stringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

TEST(TempDir, IsAnEmptyDirectoryForThisUserOnly) {
  const TempDir directory;
  EXPECT_TRUE(fs::is_directory(directory.path()));
  EXPECT_TRUE(fs::is_empty(directory.path()));
  EXPECT_EQ(fs::status(directory.path()).permissions(), fs::perms::owner_all);
}

TEST(TempDir, IsAnotherOneEachTime) {
  const TempDir first;
  const TempDir second;
  EXPECT_NE(first.path(), second.path());
}

TEST(TempDir, IsRemovedWithAllItHolds) {
  fs::path path;
  {
    const TempDir directory;
    path = directory.path();
    fs::create_directories(path / "a" / "b");
    directory.write("a/b/file", "text");
    fs::create_symlink("nowhere", path / "link");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, MayBeGoneAlready) {
  const TempDir directory;
  fs::remove_all(directory.path());
}

TEST(TempDir, WritesAFileAndReturnsItsPath) {
  const TempDir directory;
  const std::string bytes("a\0b\r\n", 5);
  const fs::path file = directory.write("file.bin", bytes);
  EXPECT_EQ(file, directory.path() / "file.bin");
  EXPECT_EQ(content_of(file), bytes);
}

TEST(TempDir, ReplacesAFile) {
  const TempDir directory;
  directory.write("file", "a long text");
  EXPECT_EQ(content_of(directory.write("file", "short")), "short");
  EXPECT_EQ(content_of(directory.write("file", "")), "");
}

TEST(TempDir, SaysWhichFileItCannotWrite) {
  const TempDir directory;
  try {
    directory.write("no/such/folder", "text");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
    EXPECT_EQ(error.message(), "cannot write " + (directory.path() / "no/such/folder").string());
  }
}

TEST(TempDir, IsMadeWhereTheEnvironmentSays) {
  const TempDir outer;
  const ScopedVariable variable("TMPDIR", outer.path().string());
  const TempDir inner;
  EXPECT_EQ(inner.path().parent_path(), outer.path());
}

TEST(TempDir, NeedsADirectoryToBeMadeIn) {
  const TempDir outer;
  const ScopedVariable variable("TMPDIR", outer.write("file", "").string());
  try {
    const TempDir directory;
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
    EXPECT_EQ(error.message(), "there is no directory for temporary files: Not a directory");
  }
}

}  // namespace
}  // namespace lockstep
