#include "checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_dir.h"
#include "checkpoint/sample_checkpoint.h"
#include "data/data_bytes.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class CheckpointFolder : public testing::Test {
 protected:
  CheckpointFolder() : store_(temporary_.path()) { save(store_, 5); }

  fs::path folder() const { return store_.path_of(5); }
  std::string in(const std::string& name) const { return (folder() / name).string(); }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  TempDir temporary_;
  CheckpointStore store_;
};

// In place: a file that is written anew goes to the disk at once on some file systems, ten thousand times here.
void change_byte(const fs::path& path, std::size_t at, int flipped_bits) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get() ^ flipped_bits;
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte));
}

// The format for good, from files that this code did not write.
TEST(GoldenCheckpoint, IsReadAndWrittenAsItWas) {
  const fs::path golden = LOCKSTEP_GOLDEN_FOLDER;
  const Checkpoint checkpoint = Checkpoint::open(golden);
  EXPECT_EQ(checkpoint.manifest().step, 42);
  EXPECT_EQ(checkpoint.manifest().world_size, 2);
  EXPECT_EQ(checkpoint.manifest().metric, 0.25);
  EXPECT_EQ(checkpoint.read("config.json").text(), "{\"seed\": 7}\n");
  const TempDir temporary;
  auto writer = CheckpointWriter::begin(temporary.path(), 42);
  for (const FileEntry& file : checkpoint.manifest().files) {
    writer.add(file.name, checkpoint.read(file.name).bytes());
  }
  const fs::path copy = writer.commit({.step = 42, .world_size = 2, .metric = 0.25, .files = writer.files()});
  EXPECT_EQ(content_of(copy / "manifest.json"), content_of(golden / "manifest.json"));
}

TEST_F(CheckpointFolder, IsReadAsItWasWritten) {
  const Checkpoint checkpoint = Checkpoint::open(folder());
  expect_sound(checkpoint);
  EXPECT_EQ(checkpoint.directory(), folder());
  EXPECT_EQ(Checkpoint::open(folder() / "").manifest().step, 5);
  expect_error([&] { (void)checkpoint.read("optimizer.safetensors"); }, ErrorCode::kNotFound,
               "the checkpoint " + folder().string() + " has no 'optimizer.safetensors'");
}

TEST_F(CheckpointFolder, MayHoldWhatIsNotItsOwn) {
  replace_content(folder() / "notes.txt", "a good one");
  EXPECT_THAT(verify(folder()).problems, IsEmpty());
}

TEST_F(CheckpointFolder, ListsEverythingThatIsWrong) {
  replace_content(folder() / "model.safetensors", "short");
  replace_content(folder() / "state.bin", "state of step 6");
  const Verification found = verify(folder());
  EXPECT_FALSE(found.ok());
  const std::vector<std::string> problems = {in("model.safetensors") + ": expected 79 bytes, found 5",
                                             in("state.bin") + ": expected the checksum " +
                                                 found.manifest->find("state.bin")->checksum + ", found" +
                                                 " 542612baa02962fd8d3b8abe17c59ce9"};
  EXPECT_EQ(found.problems, problems);
  expect_error(
      [&] { Checkpoint::open(folder()); }, ErrorCode::kCorrupt,
      "the checkpoint " + folder().string() + " cannot be used: " + problems[0] + "; " + problems[1]);
}

TEST_F(CheckpointFolder, MissesItsFiles) {
  fs::remove(folder() / "state.bin");
  EXPECT_THAT(verify(folder()).problems, ElementsAre(in("state.bin") + ": no such file"));
  EXPECT_EQ(complete_manifest(folder()), std::nullopt);
  fs::create_directory(folder() / "state.bin");
  EXPECT_THAT(verify(folder()).problems, ElementsAre(in("state.bin") + ": not a regular file"));
  fs::remove(folder() / "manifest.json");
  EXPECT_THAT(verify(folder()).problems, ElementsAre(in("manifest.json") + ": no such file"));
  expect_error([&] { verify(in("none")); }, ErrorCode::kNotFound, in("none") + ": no such checkpoint");
  expect_error([&] { verify(in("model.safetensors")); }, ErrorCode::kNotFound,
               in("model.safetensors") + ": no such checkpoint");
}

TEST_F(CheckpointFolder, IsNotCalledDamagedForItsVersion) {
  std::string manifest = content_of(folder() / "manifest.json");
  manifest.replace(manifest.find("\"version\": 1"), 12, "\"version\": 2");
  replace_content(folder() / "manifest.json", manifest);
  EXPECT_TRUE(verify(folder()).other_version);
  expect_error([&] { Checkpoint::open(folder()); }, ErrorCode::kUnsupported,
               "the checkpoint " + folder().string() + " cannot be used: " + in("manifest.json") +
                   ": version 2 of checkpoints; version 1 is read");
  EXPECT_FALSE(verify(folder()).is_damaged());
  ASSERT_EQ(store_.newest_good().refused.size(), 1);
  EXPECT_EQ(store_.newest_good().refused[0].code, ErrorCode::kUnsupported);
}

// A link to itself cannot be opened, by root neither; what is behind it may be in order.
TEST_F(CheckpointFolder, IsNotCalledDamagedWhereItCannotBeRead) {
  const std::string state = content_of(folder() / "state.bin");
  fs::remove(folder() / "state.bin");
  fs::create_symlink("state.bin", folder() / "state.bin");
  EXPECT_TRUE(verify(folder()).unreadable);
  expect_error([&] { Checkpoint::open(folder()); }, ErrorCode::kSystem,
               "the checkpoint " + folder().string() + " cannot be used: cannot open " + in("state.bin") +
                   ": Too many levels of symbolic links");
  change_byte(folder() / "model.safetensors", 3, 1);
  EXPECT_TRUE(verify(folder()).is_damaged()) << "that one file is damaged is certain";
  fs::remove(folder() / "model.safetensors");
  EXPECT_TRUE(verify(folder()).is_damaged());
}

TEST_F(CheckpointFolder, BelongsToTheStepInItsName) {
  fs::rename(folder(), store_.path_of(6));
  EXPECT_THAT(verify(store_.path_of(6)).problems,
              ElementsAre(store_.path_of(6).string() + ": its manifest is that of step 5"));
  EXPECT_EQ(complete_manifest(store_.path_of(6)), std::nullopt);
  fs::rename(store_.path_of(6), temporary_.path() / "best");
  expect_sound(Checkpoint::open(temporary_.path() / "best"));
}

TEST_F(CheckpointFolder, IsCheckedAgainWhenItIsRead) {
  const Checkpoint checkpoint = Checkpoint::open(folder());
  replace_content(folder() / "state.bin", "state of step 6");
  EXPECT_THROW((void)checkpoint.read("state.bin"), Error);
  replace_content(folder() / "state.bin", "state");
  expect_error([&] { (void)checkpoint.read("state.bin"); }, ErrorCode::kCorrupt,
               in("state.bin") + ": expected 15 bytes, found 5");
}

TEST_F(CheckpointFolder, IsRefusedWhereverItIsCut) {
  for (const std::string& name : names()) {
    const std::string good = content_of(folder() / name);
    for (std::size_t size = good.size(); size-- > 0;) {
      fs::resize_file(folder() / name, size);
      EXPECT_FALSE(verify(folder()).ok()) << name << " cut to " << size;
    }
    replace_content(folder() / name, good);
  }
  expect_sound(Checkpoint::open(folder()));
}

// Every file is covered by a checksum, the manifest by its own: no change of a byte goes unnoticed.
TEST_F(CheckpointFolder, IsRefusedWithAnyByteChanged) {
  constexpr int kChanges = 10'000;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same changes every time
  const auto below = [&random](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const std::vector<std::string> files = names();
  for (int change = 0; change < kChanges; ++change) {
    const fs::path path = folder() / files[below(files.size())];
    const std::size_t at = below(fs::file_size(path));
    const int flipped_bits = static_cast<int>(1 + below(255));
    change_byte(path, at, flipped_bits);
    EXPECT_FALSE(verify(folder()).ok()) << path << ", byte " << at;
    change_byte(path, at, flipped_bits);
  }
  expect_sound(Checkpoint::open(folder()));
}

}  // namespace
}  // namespace lockstep::checkpoint
