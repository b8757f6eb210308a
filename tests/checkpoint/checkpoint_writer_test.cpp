#include "checkpoint/checkpoint_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/temp_dir.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/checksum.h"
#include "checkpoint/faulty_disk.h"
#include "checkpoint/sample_checkpoint.h"
#include "data/data_bytes.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Writer : public testing::Test {
 protected:
  std::string store_name() const { return temporary_.path().filename().string(); }

  TempDir temporary_;
};

TEST_F(Writer, MakesAFolderNamedByItsStep) {
  const std::string state = "1234";
  auto writer = CheckpointWriter::begin(temporary_.path(), 1234);
  EXPECT_EQ(writer.step(), 1234);
  const FileEntry& entry = writer.add("a.bin", [&state](ByteSink& file) {
    file.write(as_bytes(state).first(1));
    file.write({});
    file.write(as_bytes(state).subspan(1));
  });
  EXPECT_EQ(entry.name, "a.bin");
  EXPECT_EQ(entry.bytes, 4);
  const Manifest manifest{.step = 1234, .world_size = 3, .metric = 0.5, .files = writer.files()};
  const fs::path path = writer.commit(manifest);
  EXPECT_EQ(path, temporary_.path() / "step-00001234");
  const Checkpoint checkpoint = Checkpoint::open(path);
  EXPECT_EQ(checkpoint.manifest(), manifest);
  EXPECT_EQ(checkpoint.read("a.bin").text(), "1234");
}

// What is on the disk when the power goes is what was synced, so the order of the calls is the promise.
TEST_F(Writer, BringsEverythingToTheDiskInOrder) {
  FaultyDisk disk;
  save(CheckpointStore(temporary_.path(), disk), 3);
  EXPECT_THAT(disk.calls(),
              ElementsAre("make partial",                                          //
                          "create state.bin", "write 15 bytes", "sync state.bin",  //
                          "create model.safetensors", "write 79 bytes",
                          "sync model.safetensors",  //
                          "create manifest.json", "write 355 bytes", "sync manifest.json", "open partial",
                          "sync partial",  //
                          "rename partial to step-00000003", "open " + store_name(), "sync " + store_name()));
}

TEST_F(Writer, TakesTheFilesOfSeveralRanks) {
  constexpr int kRanks = 3;
  auto first = CheckpointWriter::begin(temporary_.path(), 9);
  std::vector<std::vector<FileEntry>> entries(kRanks);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank, name = first.name()] {
      auto writer = CheckpointWriter::join(temporary_.path(), name);
      writer.add("rank-" + std::to_string(rank), as_bytes(std::to_string(rank)));
      entries[static_cast<std::size_t>(rank)] = writer.files();
    });
  }
  std::for_each(ranks.begin(), ranks.end(), [](std::thread& rank) { rank.join(); });
  Manifest manifest{.step = 9, .world_size = kRanks};
  for (const auto& of_rank : entries) {
    manifest.files.insert(manifest.files.end(), of_rank.begin(), of_rank.end());
  }
  const Checkpoint checkpoint = Checkpoint::open(first.commit(manifest));
  EXPECT_EQ(checkpoint.read("rank-2").text(), "2");
}

TEST_F(Writer, LeavesNothingWithoutCommit) {
  {
    auto writer = CheckpointWriter::begin(temporary_.path(), 1);
    writer.add("a", as_bytes("x"));
    const auto moved = std::move(writer);
    const auto joined = CheckpointWriter::join(temporary_.path(), moved.name());
    EXPECT_FALSE(fs::is_empty(temporary_.path()));
  }
  EXPECT_TRUE(fs::is_empty(temporary_.path()));
}

TEST_F(Writer, JoinsOnlyWhatHasBegun) {
  expect_error([&] { (void)CheckpointWriter::join(temporary_.path(), "../x"); }, ErrorCode::kInvalidArgument,
               "'../x' is no name of a checkpoint that is being written");
  const std::string name = partial_name(1);
  expect_error([&] { (void)CheckpointWriter::join(temporary_.path(), name); }, ErrorCode::kNotFound,
               (temporary_.path() / name).string() + ": no checkpoint is being written there");
  expect_error([&] { (void)CheckpointWriter::begin(temporary_.path(), -1); }, ErrorCode::kInvalidArgument,
               "there is no checkpoint of step -1");
}

TEST_F(Writer, RefusesFilesThatCannotBe) {
  auto writer = CheckpointWriter::begin(temporary_.path(), 1);
  expect_error([&] { writer.add("../a", as_bytes("x")); }, ErrorCode::kInvalidArgument,
               "'../a' is no name for a file of a checkpoint");
  writer.add("a", as_bytes("x"));
  expect_error([&] { writer.add("a", as_bytes("y")); }, ErrorCode::kSystem,
               "cannot create " + (temporary_.path() / writer.name() / "a").string() + ": File exists");
}

TEST_F(Writer, CommitsOnlyWhatTheManifestNames) {
  auto writer = CheckpointWriter::begin(temporary_.path(), 1);
  const std::string folder = (temporary_.path() / writer.name()).string();
  const FileEntry a = writer.add("a", as_bytes("x"));
  const FileEntry b = writer.add("b", as_bytes("y"));
  const auto refused = [&](const Manifest& manifest, const std::string& message) {
    expect_error([&] { writer.commit(manifest); }, ErrorCode::kInvalidArgument, message);
  };
  refused({.step = 2, .files = {a, b}}, "a checkpoint of step 1 was begun; the manifest is that of step 2");
  refused({.step = 1, .files = {a}}, "the manifest does not name 'b', which is in " + folder);
  FileEntry other = b;
  other.bytes = 2;
  refused({.step = 1, .files = {a, other}},
          "the manifest names 'b' with 2 bytes; there is one with 1 in " + folder);
  other.name = "c";
  refused({.step = 1, .files = {a, b, other}},
          "the manifest names 'c' with 2 bytes; there is none in " + folder);
  writer.commit({.step = 1, .files = {b, a}});
  EXPECT_TRUE(verify(temporary_.path() / "step-00000001").ok());
}

TEST_F(Writer, CompletesShortWrites) {
  class SlowDisk : public DiskCalls {
   public:
    ssize_t write(int fd, const std::byte* bytes, std::size_t count) override {
      if (interrupted_ = !interrupted_; interrupted_) {
        errno = EINTR;
        return -1;
      }
      return DiskCalls::write(fd, bytes, std::min<std::size_t>(count, 7));
    }

   private:
    bool interrupted_ = false;
  };
  SlowDisk disk;
  const CheckpointStore store(temporary_.path(), disk);
  save(store, 3);
  EXPECT_EQ(newest_step(store), 3);
}

std::string large_text() {
  std::string text;
  while (text.size() < (std::size_t{5} << 19)) {
    text += "line " + std::to_string(text.size()) + "\n";
  }
  return text;
}

TEST_F(Writer, SendsWholeBlocksPastTheCacheAndTheRestThroughIt) {
  const std::string text = large_text();
  FaultyDisk disk;
  auto writer = CheckpointWriter::begin(temporary_.path(), 1, disk);
  FileImage image;
  image.write(as_bytes("something else"));
  image.clear();
  image.write(as_bytes(text).first(10));
  image.write(as_bytes(text).subspan(10));
  const FileEntry entry = writer.add("a", image);
  const std::size_t rest = text.size() % 4096;
  EXPECT_THAT(disk.calls(),
              ElementsAre("make partial", "create a", "a past the cache",
                          "write " + std::to_string(text.size() - rest) + " bytes", "a through the cache",
                          "write " + std::to_string(rest) + " bytes", "sync a"));
  EXPECT_EQ(entry.bytes, text.size());
  EXPECT_EQ(entry.checksum, checksum_text(as_bytes(text)));
  EXPECT_EQ(content_of(temporary_.path() / writer.name() / "a"), text);
}

// A file system that does not know O_DIRECT says so when it is asked for or when it is used, and one that writes less than
// it was given leaves a rest that is not aligned.
TEST_F(Writer, WritesThroughTheCacheWhereThereIsNoWayPastIt) {
  class Awkward : public DiskCalls {
   public:
    explicit Awkward(int manner) : manner_(manner) {}
    int set_direct(int /*fd*/, bool direct) override {
      if (manner_ == 0) {
        errno = EINVAL;
        return -1;
      }
      is_direct_ = direct;
      return 0;
    }
    ssize_t write(int fd, const std::byte* bytes, std::size_t count) override {
      if (is_direct_ && (manner_ == 1 || written_ % 4096 != 0)) {
        ++refusals;
        errno = EINVAL;
        return -1;
      }
      const ssize_t done =
          DiskCalls::write(fd, bytes, is_direct_ ? std::min<std::size_t>(count, 100) : count);
      written_ += static_cast<std::size_t>(done);
      return done;
    }
    int refusals = 0;

   private:
    int manner_;
    bool is_direct_ = false;
    std::size_t written_ = 0;
  };
  const std::string text = large_text();
  for (int manner = 0; manner < 3; ++manner) {
    Awkward disk(manner);
    auto writer = CheckpointWriter::begin(temporary_.path(), 1, disk);
    const FileEntry entry = writer.add("a", [&](ByteSink& image) { image.write(as_bytes(text)); });
    EXPECT_EQ(entry.checksum, checksum_text(as_bytes(text)));
    EXPECT_EQ(content_of(temporary_.path() / writer.name() / "a"), text) << manner;
    EXPECT_EQ(disk.refusals, manner == 0 ? 0 : 1);
  }
}

TEST_F(Writer, SaysWhenTheDiskIsFull) {
  class FullDisk : public DiskCalls {
   public:
    int create_file(const fs::path& /*path*/) override { return open("/dev/full", O_WRONLY | O_CLOEXEC); }
  };
  FullDisk disk;
  auto writer = CheckpointWriter::begin(temporary_.path(), 1, disk);
  expect_error(
      [&] { writer.add("a", as_bytes("x")); }, ErrorCode::kResourceExhausted,
      "cannot write " + (temporary_.path() / writer.name() / "a").string() + ": No space left on device");
}

TEST_F(Writer, DoesNotTryForEverWhereNothingIsTaken) {
  class StuckDisk : public DiskCalls {
   public:
    ssize_t write(int /*fd*/, const std::byte* /*bytes*/, std::size_t /*count*/) override {
      LOCKSTEP_CHECK(++writes_ < 1000);
      return 0;
    }

   private:
    int writes_ = 0;
  };
  StuckDisk disk;
  auto writer = CheckpointWriter::begin(temporary_.path(), 1, disk);
  expect_error([&] { writer.add("a", as_bytes("x")); }, ErrorCode::kSystem,
               "cannot write " + (temporary_.path() / writer.name() / "a").string() + ": Input/output error");
}

TEST_F(Writer, ReplacesACheckpointOfTheSameStep) {
  FaultyDisk disk;
  const CheckpointStore store(temporary_.path(), disk);
  save(store, 4);
  replace_content(store.path_of(4) / "state.bin", "damaged");
  EXPECT_EQ(newest_step(store), -1);
  save(store, 4);
  EXPECT_EQ(newest_step(store), 4);
  const std::vector<std::string> last(disk.calls().end() - 4, disk.calls().end());
  EXPECT_THAT(last, ElementsAre("exchange partial and step-00000004", "open " + store_name(),
                                "sync " + store_name(), "remove partial"));
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary_.path()), {}), 1) << "the old one is gone";
}

// A disk that cannot exchange two names, as some over networks.
class OldDisk : public FaultyDisk {
 public:
  using FaultyDisk::FaultyDisk;
  int exchange(const fs::path& /*one*/, const fs::path& /*other*/) override {
    errno = EINVAL;
    return -1;
  }
};

TEST_F(Writer, ReplacesInTwoStepsWhereItMust) {
  OldDisk disk;
  const CheckpointStore store(temporary_.path(), disk);
  save(store, 4);
  save(store, 4);
  EXPECT_EQ(newest_step(store), 4);
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary_.path()), {}), 1);
}

TEST_F(Writer, PutsTheOldOneBackWhenTheNewOneCannotTakeItsPlace) {
  save(CheckpointStore(temporary_.path()), 4);
  constexpr int kSecondRename = 13;
  OldDisk disk({.first = kSecondRename});
  const CheckpointStore store(temporary_.path(), disk);
  EXPECT_THROW(save(store, 4), Error);
  EXPECT_THAT(disk.calls()[kSecondRename], "rename partial to step-00000004");
  EXPECT_EQ(newest_step(store), 4);
}

struct FaultCase {
  const char* name;
  int count;  // failures in a row
  int error_number;
};

// What may go wrong unsaid: leftovers are swept at the next start, and a file takes the way through the cache.
bool may_fail(const std::string& call) {
  return call == "remove partial" || call.ends_with(" past the cache") ||
         call.ends_with(" through the cache");
}

class FaultyWriter : public testing::TestWithParam<FaultCase> {
 protected:
  static FaultyDisk::Fault fault_at(int call) {
    return {.first = call, .count = GetParam().count, .error_number = GetParam().error_number};
  }
  // Whether `disk` came as far as the call that was to fail; `failed` says whether something was said about it.
  static bool expect_told(const FaultyDisk& disk, int call, bool failed) {
    if (static_cast<int>(disk.calls().size()) <= call) {
      EXPECT_FALSE(failed);
      return false;
    }
    const std::string& faulty = disk.calls()[static_cast<std::size_t>(call)];
    EXPECT_TRUE(failed || may_fail(faulty)) << "'" << faulty << "' failed, and nobody was told";
    return true;
  }
};

// Each call of a save and of the pruning behind it fails once. Whatever was complete before is there, and what has
// been committed is the newest.
TEST_P(FaultyWriter, NeverCostsACompleteCheckpoint) {
  for (const std::int64_t next : {std::int64_t{3}, std::int64_t{2}}) {  // a new step, and one that is there
    bool reached = true;
    for (int call = 0; reached; ++call) {
      const TempDir temporary;
      FaultyDisk sound;
      const CheckpointStore good(temporary.path(), sound);
      save(good, 1);
      save(good, 2);
      FaultyDisk disk(fault_at(call));
      const CheckpointStore store(temporary.path(), disk);
      bool failed = false;
      bool committed = false;
      try {
        save(store, next);
        committed = true;
        store.prune({.keep_last = 1}, next);
      } catch (const Error& error) {
        failed = true;
        EXPECT_THAT(error.message(), HasSubstr("cannot ")) << disk.calls().back();
      }
      const std::int64_t newest = newest_step(good);
      EXPECT_TRUE(newest == next || (!committed && newest == 2))
          << newest << " after " << disk.calls().back();
      EXPECT_TRUE(good.newest_good().refused.empty());
      reached = expect_told(disk, call, failed);
      good.sweep();
      save(good, 4);
      EXPECT_EQ(newest_step(good), 4) << "the next save is not disturbed";
    }
  }
}

// Folders that are not there yet, and a file that goes past the cache.
TEST_P(FaultyWriter, SaysWhatKeepsTheFirstSaveFromSucceeding) {
  const std::string large(std::size_t{1} << 20, 'x');
  bool reached = true;
  for (int call = 0; reached; ++call) {
    const TempDir temporary;
    FaultyDisk disk(fault_at(call));
    const CheckpointStore store(temporary.path() / "runs" / "checkpoints", disk);
    bool failed = false;
    try {
      store.settle();
      auto writer = store.begin(1);
      writer.add("a", [&](ByteSink& file) { file.write(as_bytes(large + "rest")); });
      writer.commit({.step = 1, .files = writer.files()});
    } catch (const Error& error) {
      failed = true;
      EXPECT_THAT(error.message(), HasSubstr("cannot ")) << disk.calls().back();
    }
    const NewestGood found = store.newest_good();
    EXPECT_TRUE(found.refused.empty());
    EXPECT_TRUE(failed || found.checkpoint) << disk.calls().back();
    reached = expect_told(disk, call, failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyWriter,
                         testing::Values(FaultCase{"OneCall", 1, EIO},
                                         FaultCase{"FromThenOn", FaultyDisk::kForEver, EIO},
                                         FaultCase{"DiskFull", FaultyDisk::kForEver, ENOSPC}),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace lockstep::checkpoint
