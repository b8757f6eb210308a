#include "cli/new_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "cli/program_run.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class NewCommand : public testing::Test {
 protected:
  std::string in(const std::string& name) const { return (parent_.path() / name).string(); }

  std::string text_of(const std::string& name) const {
    std::ifstream file(in(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::vector<std::string> files_of(const std::string& name) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(in(name))) {
      if (entry.is_regular_file()) {
        files.push_back(entry.path().lexically_relative(in(name)).string());
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  TempDir parent_;
};

// consumer.new builds, tests and trains what is made here.
TEST_F(NewCommand, MakesATrainingProgram) {
  const auto done = run_lockstep({"new", in("sea-net")});
  EXPECT_EQ(done.status.exit_code, 0) << done.standard_error;
  EXPECT_THAT(done.standard_output, StartsWith("made " + in("sea-net") + "; to train:\n  cd " +
                                               in("sea-net") + "\n  cmake -S . -B build"));
  EXPECT_THAT(done.standard_output, HasSubstr("lockstep run build/sea-net --epochs 20\n"));
  EXPECT_THAT(files_of("sea-net"),
              ElementsAre("CMakeLists.txt", "README.md", "data/test-images-idx3-ubyte.gz",
                          "data/test-labels-idx1-ubyte.gz", "data/train-images-idx3-ubyte.gz",
                          "data/train-labels-idx1-ubyte.gz", "sea-net.cpp"));
  EXPECT_THAT(text_of("sea-net/sea-net.cpp"), HasSubstr("train::main<SeaNetTask>"));
  EXPECT_THAT(text_of("sea-net/CMakeLists.txt"), HasSubstr("SEA_NET_DATA="));
  for (const std::string file : {"sea-net.cpp", "CMakeLists.txt", "README.md"}) {
    EXPECT_THAT(text_of("sea-net/" + file), Not(testing::ContainsRegex("[Dd]igits|DIGITS"))) << file;
  }
}

TEST_F(NewCommand, MakesALoopOfOnesOwn) {
  const auto done = run_lockstep({"new", "--own-loop", in("mine") + "/"});
  EXPECT_EQ(done.status.exit_code, 0) << done.standard_error;
  EXPECT_THAT(files_of("mine"), ElementsAre("CMakeLists.txt", "README.md", "mine.cpp"));
  EXPECT_THAT(text_of("mine/mine.cpp"), HasSubstr("lockstep::World::join(argc, argv)"));
  EXPECT_THAT(text_of("mine/README.md"), HasSubstr("run build/mine\n"));
}

TEST_F(NewCommand, OverwritesNothing) {
  fs::create_directory(in("net"));
  parent_.write("net/thesis.txt", "years of work");
  const auto done = run_lockstep({"new", in("net")});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_error,
            "lockstep new: invalid argument: " + in("net") + ": already exists; choose another name\n");
  EXPECT_THAT(files_of(""), ElementsAre("net/thesis.txt"));
}

TEST_F(NewCommand, RefusesANameThatNoProgramCanHave) {
  const auto done = run_lockstep({"new", in("my net")});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_THAT(done.standard_error, HasSubstr("'my net' cannot name a project: use letters, digits"));
  EXPECT_TRUE(fs::is_empty(parent_.path()));
}

TEST_F(NewCommand, WantsOneFolder) {
  EXPECT_EQ(run_lockstep({"new"}).status.exit_code, 2);
  EXPECT_EQ(run_lockstep({"new", in("a"), in("b")}).status.exit_code, 2);
  EXPECT_TRUE(fs::is_empty(parent_.path()));
}

}  // namespace
}  // namespace lockstep::cli
