#include "base/process_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace lockstep {
namespace {

TEST(ProcessFile, IsReadToItsEnd) {
  const std::string stat = read_process_file(getpid(), "stat");
  EXPECT_TRUE(stat.starts_with(std::to_string(getpid()) + " (")) << stat;
  EXPECT_TRUE(stat.ends_with("\n")) << stat;
  EXPECT_GT(read_process_file(getpid(), "maps").size(), 4096U) << "longer than one piece";
}

// A read that fails, as it does when the process goes just then; what opens and cannot be read is a folder.
TEST(ProcessFile, IsEmptyWhereItCannotBeRead) {
  EXPECT_EQ(read_process_file(getpid(), "no-such-file"), "");
  EXPECT_EQ(read_process_file(getpid(), "fd"), "");
}

TEST(ProcessFile, OfOneThatHasGoneHasNoParent) {
  EXPECT_EQ(parent_of(getpid()), getppid());
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  EXPECT_EQ(parent_of(child), getpid()) << "it has ended, and nobody has taken it away";
  waitpid(child, nullptr, 0);
  EXPECT_EQ(parent_of(child), 0);
}

}  // namespace
}  // namespace lockstep
