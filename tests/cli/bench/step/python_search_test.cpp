#include "cli/bench/step/python_search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_dir.h"

namespace lockstep::bench::step {
namespace {

namespace fs = std::filesystem;

class PythonSearch : public testing::Test {
 protected:
  void make_python(fs::perms permissions) {
    fs::create_directories(root_.path() / "bin");
    std::ofstream(python()) << "#!/bin/sh\n";
    fs::permissions(python(), permissions);
  }
  fs::path python() const { return root_.path() / "bin" / "python3"; }
  fs::path torch() const { return root_.path() / "lib" / "python3.11" / "site-packages" / "torch"; }

  TempDir root_;
};

TEST_F(PythonSearch, FindsTheInterpreterOfTheEnvironment) {
  make_python(fs::perms::owner_all);
  EXPECT_EQ(python_beside(torch()), python());
}

TEST_F(PythonSearch, FindsNoneWhereThereIsNone) {
  EXPECT_EQ(python_beside(torch()), "");
}

TEST_F(PythonSearch, DoesNotTakeAFileForAProgram) {
  make_python(fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(python_beside(torch()), "");
}

TEST_F(PythonSearch, KnowsALibtorchThatBelongsToNoPython) {
  make_python(fs::perms::owner_all);
  EXPECT_EQ(python_beside(root_.path() / "lib" / "a" / "b" / "libtorch"), "");
  EXPECT_EQ(python_beside(""), "");
}

}  // namespace
}  // namespace lockstep::bench::step
