#include "base/fork_mark.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>

namespace lockstep {
namespace {

// What `child` returns, as a forked child.
int in_forked_child(const std::function<int()>& child) {
  const pid_t pid = fork();
  if (pid == 0) {
    _exit(child());
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(ForkMark, KnowsAForkedChildFromItsParent) {
  const ForkMark mark;
  EXPECT_FALSE(mark.is_inherited());
  EXPECT_EQ(mark.maker(), getpid());
  EXPECT_EQ(in_forked_child([&] { return mark.is_inherited() && mark.maker() == getppid() ? 1 : 0; }), 1);
  EXPECT_FALSE(mark.is_inherited()) << "the parent is what it was";
}

TEST(ForkMark, KnowsWhatAChildMadeItself) {
  const ForkMark outer;
  const int seen = in_forked_child([&] {
    const ForkMark own;
    const int grandchild =
        in_forked_child([&] { return (outer.is_inherited() ? 1 : 0) | (own.is_inherited() ? 2 : 0); });
    return grandchild | (own.is_inherited() ? 4 : 0);
  });
  EXPECT_EQ(seen, 3);
}

TEST(ForkMark, KeepsWhatMustNotBeDestroyed) {
  const auto thing = std::make_shared<int>(3);
  keep_undestroyed(std::shared_ptr<int>(thing));
  EXPECT_EQ(thing.use_count(), 2);
}

}  // namespace
}  // namespace lockstep
