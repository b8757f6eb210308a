#include "config/file_text.h"

#include <gtest/gtest.h>

#include "base/temp_dir.h"

namespace lockstep::config {
namespace {

TEST(FileText, IsTheWholeFile) {
  const TempDir folder;
  const std::string content("a\0b\n", 4);
  EXPECT_EQ(std::get<std::string>(read_text_file(folder.write("file", content), 4)), content);
  EXPECT_EQ(std::get<std::string>(read_text_file(folder.write("empty", ""), 4)), "");
}

TEST(FileText, SaysWhyItCannotBeRead) {
  const TempDir folder;
  EXPECT_EQ(std::get<Problem>(read_text_file(folder.path() / "none", 4)).text,
            "cannot be read: No such file or directory");
  EXPECT_EQ(std::get<Problem>(read_text_file(folder.path(), 4)).text, "cannot be read: Is a directory");
}

TEST(FileText, HasALimit) {
  const TempDir folder;
  const auto file = folder.write("file", std::string(1025, 'x'));
  EXPECT_EQ(std::get<Problem>(read_text_file(file, 1024)).text,
            "larger than 1KiB, too large for a file of options");
  EXPECT_EQ(std::get<std::string>(read_text_file(file, 1025)).size(), 1025U);
}

}  // namespace
}  // namespace lockstep::config
