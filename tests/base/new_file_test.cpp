#include "base/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/temp_dir.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

void write_text(NewFile& file, std::uint64_t offset, std::string_view text) {
  file.write_at(offset, std::as_bytes(std::span(text)));
}

std::string content_of(const fs::path& file) {
  std::stringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

std::size_t files_in(const TempDir& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
}

TEST(NewFile, AppearsWhenItIsCommitted) {
  const TempDir folder;
  const fs::path path = folder.path() / "x";
  NewFile file(path);
  write_text(file, 3, "world");
  write_text(file, 0, "hi ");
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(content_of(path), "hi world");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(NewFile, LeavesNothingWithoutCommit) {
  const TempDir folder;
  {
    NewFile file(folder.path() / "x");
    write_text(file, 0, "text");
    EXPECT_EQ(files_in(folder), 1);
  }
  EXPECT_EQ(files_in(folder), 0);
}

TEST(NewFile, ReplacesAnOldOneInOneMoment) {
  const TempDir folder;
  const fs::path path = folder.write("x", "old");
  NewFile first(path);
  NewFile second(path);
  write_text(first, 0, "first");
  write_text(second, 0, "second");
  EXPECT_EQ(content_of(path), "old");
  second.commit();
  EXPECT_EQ(content_of(path), "second");
  first.commit();
  EXPECT_EQ(content_of(path), "first");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(NewFile, HasTheRightsThatTheUmaskSays) {
  const TempDir folder;
  const mode_t before = umask(027);
  NewFile file(folder.path() / "x");
  umask(before);
  file.commit();
  EXPECT_EQ(fs::status(folder.path() / "x").permissions(), fs::perms(0640));
}

TEST(NewFile, SaysWhyItCannotBeMade) {
  const TempDir folder;
  const std::string path = (folder.path() / "no/x").string();
  try {
    const NewFile file(path);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
    EXPECT_EQ(error.message(), "cannot create " + path + ": No such file or directory");
  }
}

TEST(NewFile, LeavesNothingWhenItCannotTakeItsPlace) {
  const TempDir folder;
  fs::create_directory(folder.path() / "x");
  {
    NewFile file(folder.path() / "x");
    EXPECT_THROW(file.commit(), Error);
  }
  EXPECT_EQ(files_in(folder), 1);
}

}  // namespace
}  // namespace lockstep
