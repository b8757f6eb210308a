#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace lockstep {
namespace {

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

int open_something() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(UniqueFd, IsEmptyByDefault) {
  const UniqueFd fd;
  EXPECT_FALSE(fd);
  EXPECT_EQ(fd.get(), -1);
}

TEST(UniqueFd, ClosesWhenItGoesAway) {
  const int raw = open_something();
  {
    const UniqueFd fd(raw);
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, MovesOwnership) {
  const int raw = open_something();
  UniqueFd first(raw);
  UniqueFd second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): the moved-from state is the subject
  EXPECT_EQ(second.get(), raw);
  const int other = open_something();
  UniqueFd third(other);
  third = std::move(second);
  EXPECT_FALSE(is_open(other));
  EXPECT_EQ(third.get(), raw);
  EXPECT_TRUE(is_open(raw));
}

TEST(UniqueFd, SurvivesAssignmentToItself) {
  UniqueFd fd(open_something());
  const int raw = fd.get();
  UniqueFd& same = fd;
  fd = std::move(same);
  EXPECT_EQ(fd.get(), raw);
  EXPECT_TRUE(is_open(raw));
}

TEST(UniqueFd, GivesTheDescriptorAway) {
  UniqueFd fd(open_something());
  const int raw = fd.release();
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(raw));
  close(raw);
}

TEST(Pipe, CarriesBytesAndClosesOnExec) {
  Pipe pipe = Pipe::create();
  ASSERT_EQ(write(pipe.write.get(), "x", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(pipe.read.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  EXPECT_EQ(fcntl(pipe.read.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(fcntl(pipe.write.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

}  // namespace
}  // namespace lockstep
