#include "cli/data/text_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class TextFiles : public testing::Test {
 protected:
  TextFiles() {
    fs::create_directories(folder_.path() / "b/c");
    folder_.write("z.txt", "12345");
    folder_.write("a.md", "1");
    folder_.write("b/c/y.txt", "12");
    folder_.write("b/x.txt", "123");
    fs::create_directory(folder_.path() / "folder.txt");
  }

  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  std::vector<std::string> names(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& extensions) {
    std::vector<std::string> found;
    for (const TextFile& file : find_text_files(inputs, extensions)) {
      found.push_back(fs::relative(file.path, folder_.path()).string() + ":" + std::to_string(file.bytes));
    }
    return found;
  }

  void expect_error(const std::vector<std::string>& inputs, ErrorCode code, const std::string& message) {
    try {
      find_text_files(inputs, {"tex", ".rst"});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_EQ(error.message(), message);
    }
  }

  TempDir folder_;
};

TEST_F(TextFiles, AreFoundToAnyDepthInTheOrderOfNames) {
  EXPECT_THAT(names({folder_.path().string()}, {"txt"}), ElementsAre("b/c/y.txt:2", "b/x.txt:3", "z.txt:5"));
  EXPECT_THAT(names({folder_.path().string()}, {"md", ".txt"}),
              ElementsAre("a.md:1", "b/c/y.txt:2", "b/x.txt:3", "z.txt:5"));
}

TEST_F(TextFiles, AreTakenWhateverTheirNameWhenTheyAreNamed) {
  EXPECT_THAT(names({in("z.txt"), in("a.md"), in("b")}, {"txt"}),
              ElementsAre("z.txt:5", "a.md:1", "b/c/y.txt:2", "b/x.txt:3"));
}

TEST_F(TextFiles, AreMissedByName) {
  expect_error({in("none")}, ErrorCode::kNotFound, in("none") + ": No such file or directory");
  expect_error({in("b")}, ErrorCode::kNotFound, in("b") + ": no file in it ends in .tex or .rst");
  expect_error({"/dev/null"}, ErrorCode::kInvalidArgument, "/dev/null: neither a file nor a folder");
}

}  // namespace
}  // namespace lockstep::cli
