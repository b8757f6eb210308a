#include "job/launch_command.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(LaunchCommand, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_text({"lockstep", "run", "--nproc-per-node=2", "./my run", "it's", "", "$HOME", "a*b"}),
            "lockstep run --nproc-per-node=2 './my run' 'it'\\''s' '' '$HOME' 'a*b'");
}

TEST(LaunchCommand, IsThisProcessWithoutItsLastWords) {
  const std::vector<std::string> all = own_command(0);
  ASSERT_FALSE(all.empty());
  EXPECT_NE(all[0].find("job_test"), std::string::npos);
  EXPECT_EQ(own_command(1).size(), all.size() - 1);
  EXPECT_TRUE(own_command(1000).empty());
}

TEST(LaunchCommand, IsWhatTheLauncherSays) {
  unsetenv("LOCKSTEP_LAUNCHED_BY");
  EXPECT_EQ(launch_command(), "");
  setenv("LOCKSTEP_LAUNCHED_BY", "lockstep run", 1);
  EXPECT_EQ(launch_command(), "lockstep run");
  unsetenv("LOCKSTEP_LAUNCHED_BY");
}

}  // namespace
}  // namespace lockstep
