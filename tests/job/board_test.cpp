#include "job/board.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/subprocess.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

std::map<std::string, std::string> naming(int fd) {
  return {{std::string(kBoardVariable), std::to_string(fd)}};
}

TEST(Board, ShowsTheTokenToWhoeverHasTheDescriptor) {
  const Board board = Board::create("secret");
  const auto found = Board::find(naming(board.fd()));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->token(), "secret");
}

TEST(Board, ShowsTheLauncherHowFarTheWorkerCame) {
  const Board launcher = Board::create("t");
  EXPECT_FALSE(launcher.is_ours());
  EXPECT_EQ(launcher.stage(2), JoinStage::kNone);
  auto worker = Board::open(launcher.fd());
  ASSERT_TRUE(worker);
  worker->note_program();
  EXPECT_EQ(launcher.backend(), "");
  worker->note_joining(2, "shm");
  EXPECT_EQ(launcher.backend(), "shm");
  EXPECT_EQ(launcher.stage(2), JoinStage::kJoining);
  EXPECT_EQ(launcher.stage(3), JoinStage::kNone) << "that is another world";
  worker->note_stage(JoinStage::kLeft);
  EXPECT_EQ(launcher.stage(2), JoinStage::kLeft);
  worker->note_step();
  worker->note_step();
  EXPECT_TRUE(launcher.is_ours());
  EXPECT_EQ(launcher.steps(), 2U);
}

TEST(Board, IsNotThereWithoutALauncher) {
  EXPECT_FALSE(Board::find({}));
}

TEST(Board, IsNotThereWhenItsVariableNamesNoDescriptor) {
  for (const char* text : {"", "x", "7x", "-1", "99999999999", "1000"}) {
    EXPECT_FALSE(Board::find({{std::string(kBoardVariable), text}})) << text;
  }
}

TEST(Board, IsNotTakenForAnotherFileUnderTheSameNumber) {
  const UniqueFd file(memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(file.get(), 4096), 0);
  EXPECT_FALSE(Board::open(file.get())) << "not sealed";
  ASSERT_EQ(fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  EXPECT_FALSE(Board::open(file.get())) << "sealed, but without the mark";
}

TEST(Board, KeepsItsDescriptorFromProgramsThatAreNotGivenIt) {
  const Board board = Board::create("t");
  EXPECT_EQ(fcntl(board.fd(), F_GETFD), FD_CLOEXEC);
}

TEST(Board, TakesStepsOfThisProcessOnceItIsSet) {
  note_process_step();  // without a board: nothing happens
  const Board launcher = Board::create("t");
  set_process_board(std::move(*Board::open(launcher.fd())));
  note_process_step();
  EXPECT_EQ(launcher.steps(), 1U);
}

}  // namespace
}  // namespace lockstep
