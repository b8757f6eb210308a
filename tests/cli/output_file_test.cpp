#include "cli/output_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/temp_dir.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

TEST(OutputFile, HoldsWhatWasWritten) {
  const TempDir folder;
  const auto path = folder.path() / "result";
  OutputFile(path).write("text");
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), "text");
}

TEST(OutputFile, IsNoneWithoutAPath) {
  EXPECT_NO_THROW(OutputFile(std::nullopt).write("text"));
}

TEST(OutputFile, CannotBeWhereThereIsNoFolder) {
  EXPECT_THROW(OutputFile("/does/not/exist"), Error);
}

TEST(OutputFile, SaysThatItIsNotWhole) {
  OutputFile full("/dev/full");
  try {
    full.write("text");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
    EXPECT_EQ(error.message(), "/dev/full could not be written to its end");
  }
}

}  // namespace
}  // namespace lockstep::cli
