// A PyTorch script under `lockstep run`, as under torchrun.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/launcher_run.h"

namespace lockstep::run {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::string_view kPython = LOCKSTEP_PEER_PYTHON;

class PythonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kPython.empty()) {
      GTEST_SKIP() << "this libtorch is not from a Python wheel, so there is no Python that has it";
    }
  }

  // With the wheel's Python as python3, which is what the launcher starts for a script.
  static std::vector<std::string> with_python() {
    const std::string folder = std::filesystem::path(kPython).parent_path().string();
    const char* path = std::getenv("PATH");
    return {"env", "PATH=" + folder + ":" + (path != nullptr ? path : "/bin:/usr/bin")};
  }
};

TEST_F(PythonTest, SumsOverItsRanks) {
  LauncherRun run({"-n", "2", LOCKSTEP_TORCH_SCRIPT}, {}, with_python());
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("[default0]:rank 0: 3.0\n"));
  EXPECT_THAT(done.out, HasSubstr("[default1]:rank 1: 3.0\n"));
}

TEST_F(PythonTest, ShowsTheTracebackOfTheRankThatFailed) {
  LauncherRun run({"-n", "2", LOCKSTEP_TORCH_SCRIPT, "--fail-on", "1"}, {}, with_python());
  const FinishedRun& done = run.finish();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_THAT(done.messages().at(0), ::testing::StartsWith("rank 1 failed"));
  EXPECT_THAT(done.messages(), Contains("    Traceback (most recent call last):"));
  EXPECT_THAT(done.messages(), Contains("    ValueError: part 7 is not there"));
  EXPECT_EQ(done.report["attempts"][0]["first_failure"], 1);
  EXPECT_THAT(done.report["attempts"][0]["workers"][1]["error"]["message"].get<std::string>(),
              HasSubstr("part 7 is not there"));
}

}  // namespace
}  // namespace lockstep::run
