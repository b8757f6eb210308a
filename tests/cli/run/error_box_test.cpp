#include "cli/run/error_box.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/temp_dir.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;

void write_to(const ErrorBox& box, const std::string& text) {
  std::ofstream(box.path()) << text;
}

TEST(ErrorBox, IsEmptyAtFirst) {
  const TempDir folder;
  EXPECT_TRUE(ErrorBox("").is_empty());
  EXPECT_FALSE(ErrorBox("").read());
  EXPECT_TRUE(ErrorBox(folder.path() / "error.json").is_empty());
  EXPECT_FALSE(ErrorBox(folder.path() / "error.json").read());
}

TEST(ErrorBox, InMemoryLeavesNothingBehind) {
  std::string path;
  {
    const ErrorBox box("");
    path = box.path();
    EXPECT_FALSE(box.is_file());
    write_to(box, to_json({.message = "bad", .details = "", .time = 5ns}));
    EXPECT_FALSE(box.is_empty());
    ASSERT_TRUE(box.read());
    EXPECT_EQ(box.read()->message, "bad");
    EXPECT_EQ(box.read()->time, 5ns);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ErrorBox, WithALogFolderIsAFileInIt) {
  const TempDir folder;
  const ErrorBox box(folder.path() / "error.json");
  EXPECT_TRUE(box.is_file());
  EXPECT_EQ(box.path(), (folder.path() / "error.json").string());
  write_to(box, to_json({.message = "bad", .details = "", .time = 5ns}));
  EXPECT_EQ(box.read()->message, "bad");
}

TEST(ErrorBox, TakesTheTimeOfWritingForOneInWholeSeconds) {
  const ErrorBox box("");
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  write_to(box, R"({"message": {"message": "E", "extraInfo": {"py_callstack": "T", "timestamp": "42"}}})");
  const auto record = box.read();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->details, "T");
  // The kernel's clock for files may lag behind by a tick.
  EXPECT_GT(record->time, before - 1s);
  EXPECT_LT(record->time, before + 60s);
}

TEST(ErrorBox, TakesGarbageForNothing) {
  for (const char* text : {"", "not json", "{", "[]", "{\"message\": 3}", "\xff\xfe"}) {
    const ErrorBox box("");
    write_to(box, text);
    EXPECT_FALSE(box.read()) << text;
  }
}

TEST(ErrorBox, DoesNotReadWhatIsFarTooLarge) {
  const ErrorBox box("");
  write_to(box, "{\"message\": \"" + std::string(std::size_t{5} << 20, 'x') + "\"}");
  EXPECT_FALSE(box.read());
}

}  // namespace
}  // namespace lockstep::run
