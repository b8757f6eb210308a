#include "checkpoint/checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/faulty_disk.h"
#include "checkpoint/sample_checkpoint.h"
#include "data/data_bytes.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Store : public testing::Test {
 protected:
  void damage(std::int64_t step) { replace_content(store_.path_of(step) / "state.bin", "damaged"); }

  TempDir temporary_;
  CheckpointStore store_{temporary_.path() / "runs" / "checkpoints"};
};

TEST_F(Store, NeedNotBeThere) {
  EXPECT_THAT(store_.steps(), IsEmpty());
  EXPECT_EQ(store_.newest_good().checkpoint, std::nullopt);
  EXPECT_THAT(store_.sweep(), IsEmpty());
  save(store_, 1);
  EXPECT_THAT(store_.steps(), ElementsAre(1));
}

TEST_F(Store, BringsItsOwnFoldersToTheDisk) {
  FaultyDisk disk;
  (void)CheckpointStore(temporary_.path() / "a" / "b" / "", disk).begin(1);
  EXPECT_THAT(disk.calls(), ElementsAre("make a", "open " + temporary_.path().filename().string(),
                                        "sync " + temporary_.path().filename().string(), "make b", "open a",
                                        "sync a", "make partial", "remove partial"));
}

// Whoever made the folders of a run: the power may go before their names are on the disk.
TEST_F(Store, IsOnTheDiskWithAllItsParentsOnceItIsSettled) {
  fs::create_directories(store_.directory());
  FaultyDisk disk;
  CheckpointStore(store_.directory(), disk).settle();
  const std::string above = temporary_.path().filename().string();
  EXPECT_THAT(disk.calls(), AllOf(Contains("sync runs"), Contains("sync " + above), Contains("sync ")))
      << "up to the root";
  FaultyDisk anew;
  CheckpointStore(temporary_.path() / "other" / "store", anew).settle();
  EXPECT_THAT(anew.calls(), AllOf(Contains("make other"), Contains("make store"), Contains("sync other")));
  EXPECT_TRUE(fs::is_directory(temporary_.path() / "other" / "store"));
}

TEST_F(Store, IsNotSettledWhereItCannotBe) {
  fs::create_directories(store_.directory());
  for (const int call : {0, 1}) {
    FaultyDisk disk({.first = call});
    expect_error([&] { CheckpointStore(store_.directory(), disk).settle(); }, ErrorCode::kSystem,
                 "cannot sync " + store_.directory().parent_path().string() + ": Input/output error");
    FaultyDisk closed({.first = call, .error_number = EACCES});
    CheckpointStore(store_.directory(), closed).settle();  // a folder of others, on the way to ours
  }
}

TEST_F(Store, CountsByNumber) {
  save(store_, 100'000'000);
  save(store_, 99'999'999);
  save(store_, 3);
  fs::create_directory(store_.directory() / "step-7");
  fs::create_directory(store_.directory() / "best");
  replace_content(store_.directory() / "step-00000009", "a file");
  EXPECT_THAT(store_.steps(), ElementsAre(3, 99'999'999, 100'000'000));
  EXPECT_EQ(newest_step(store_), 100'000'000);
}

TEST_F(Store, TakesTheNewestGoodOneAndSaysWhyNotOthers) {
  for (const std::int64_t step : {1, 2, 3, 4}) {
    save(store_, step);
  }
  damage(4);
  fs::remove(store_.path_of(3) / "manifest.json");
  const NewestGood found = store_.newest_good();
  EXPECT_EQ(found.checkpoint->manifest().step, 2);
  ASSERT_THAT(found.refused, SizeIs(2));
  const std::string four = store_.path_of(4).string();
  const std::string three = store_.path_of(3).string();
  EXPECT_EQ(found.refused[0].step, 4);
  EXPECT_EQ(found.refused[0].reason,
            "the checkpoint " + four + " cannot be used: " + four + "/state.bin: expected 15 bytes, found 7");
  EXPECT_EQ(found.refused[1].reason,
            "the checkpoint " + three + " cannot be used: " + three + "/manifest.json: no such file");
  damage(1);
  damage(2);
  EXPECT_EQ(store_.newest_good().checkpoint, std::nullopt);
  EXPECT_THAT(store_.newest_good().refused, SizeIs(4));
}

TEST_F(Store, IsSweptOfWhatKilledSavesLeft) {
  save(store_, 1);
  const std::string left = partial_name(2);
  fs::create_directories(store_.directory() / left / "folder");
  fs::create_directory(store_.directory() / ".partial-of-another-program");
  EXPECT_THAT(store_.steps(), ElementsAre(1));
  EXPECT_THAT(store_.sweep(), ElementsAre(left));
  EXPECT_FALSE(fs::exists(store_.directory() / left));
  EXPECT_TRUE(fs::exists(store_.directory() / ".partial-of-another-program"));
  EXPECT_EQ(newest_step(store_), 1);
}

TEST_F(Store, SaysWhatItCannotSweep) {
  fs::create_directories(store_.directory() / partial_name(2));
  FaultyDisk disk({.first = 0});
  expect_error([&] { CheckpointStore(store_.directory(), disk).sweep(); }, ErrorCode::kSystem,
               "cannot remove " + fs::directory_iterator(store_.directory())->path().string() +
                   ": Input/output error");
}

TEST_F(Store, IsPrunedByItsRules) {
  for (const std::int64_t step : {10, 20, 25, 30, 100}) {
    save(store_, step, step == 25 ? 0.5 : 0.9);
  }
  const RetentionRules rules{.keep_last = 1, .keep_best = Better::kLower, .keep_every = 20};
  EXPECT_THAT(store_.prune(rules, 100), ElementsAre(10, 30));
  EXPECT_THAT(store_.steps(), ElementsAre(20, 25, 100));
  EXPECT_THAT(store_.prune(rules, 100), IsEmpty());
  EXPECT_THAT(store_.sweep(), IsEmpty()) << "nothing is left behind";
}

TEST_F(Store, LosesNothingToACheckpointThatIsNotComplete) {
  save(store_, 1);
  save(store_, 2);
  const std::string message = ": not a complete checkpoint, so that no older one may be removed";
  expect_error([&] { store_.prune({.keep_last = 1}, 3); }, ErrorCode::kNotFound,
               store_.path_of(3).string() + message);
  damage(2);
  expect_error([&] { store_.prune({.keep_last = 1}, 2); }, ErrorCode::kNotFound,
               store_.path_of(2).string() + message);
  EXPECT_THAT(store_.steps(), ElementsAre(1, 2));
}

TEST_F(Store, PrunesNeitherDamagedOnesNorThoseOfAnotherRun) {
  for (const std::int64_t step : {1, 2, 3, 4, 500}) {
    save(store_, step);
  }
  damage(3);
  EXPECT_THAT(store_.prune({.keep_last = 2}, 4), ElementsAre(1)) << "2 and 4 are the last good ones";
  EXPECT_THAT(store_.steps(), ElementsAre(2, 3, 4, 500));
}

TEST_F(Store, RenamesWhatItRemovesFirst) {
  save(store_, 1);
  save(store_, 2);
  save(store_, 3);
  FaultyDisk disk;
  CheckpointStore(store_.directory(), disk).prune({.keep_last = 1}, 3);
  EXPECT_THAT(disk.calls(),
              ElementsAre("rename step-00000001 to partial", "rename step-00000002 to partial",
                          "open checkpoints", "sync checkpoints", "remove partial", "remove partial"));
}

}  // namespace
}  // namespace lockstep::checkpoint
