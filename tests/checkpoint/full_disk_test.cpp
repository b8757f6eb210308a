// Saves onto a disk that is full: a small tmpfs of this process alone. Where mounting one is not allowed they are skipped.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/temp_dir.h"
#include "base/unique_fd.h"
#include "checkpoint/sample_checkpoint.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kPageBytes = 4096;

bool write_text(const char* path, const std::string& text) {
  const UniqueFd file(open(path, O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Mounts that nobody else sees. A user without rights gets them in a user namespace, where the kernel allows that.
bool enter_own_namespace() {
  if (unshare(CLONE_NEWNS) == 0) {
    return true;
  }
  const std::string user = "0 " + std::to_string(getuid()) + " 1";
  const std::string group = "0 " + std::to_string(getgid()) + " 1";
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", user) && write_text("/proc/self/gid_map", group);
}

// As save() in sample_checkpoint.h, with more in it than fits into a page.
void save_large(const CheckpointStore& store, std::int64_t step) {
  CheckpointWriter writer = store.begin(step);
  const std::string state = state_of(step);
  const std::string padding(10 * kPageBytes, 'p');
  writer.add("padding.bin", as_bytes(padding));
  writer.add("state.bin", as_bytes(state));
  writer.add("model.safetensors", [&state](ByteSink& file) {
    write_safetensors(file, {{.name = "w", .shape = {state.size()}, .bytes = as_bytes(state)}});
  });
  writer.commit({.step = step, .world_size = 1, .files = writer.files()});
}

// Whether there was room for it. Anything else that goes wrong is thrown on.
bool fits(const CheckpointStore& store, std::int64_t step) {
  try {
    save_large(store, step);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("No space left on device"));
    return false;
  }
}

class FullDisk : public testing::Test {
 protected:
  ~FullDisk() override {
    if (mounted_) {
      umount2(disk_.path().c_str(), MNT_DETACH);
    }
  }

  // Ends the test when it may not.
  void mount_disk(const char* limits) {
    mounted_ = enter_own_namespace() && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("tmpfs", disk_.path().c_str(), "tmpfs", 0, limits) == 0;
    if (!mounted_) {
      GTEST_SKIP() << "this process may not mount a tmpfs in a namespace of its own: "
                   << std::strerror(errno);
    }
  }

  // What has to hold at any time: the newest that was saved is taken, and nothing else is in the way.
  void expect_newest(std::int64_t step) {
    EXPECT_EQ(newest_step(store_), step);
    EXPECT_TRUE(store_.newest_good().refused.empty());
    EXPECT_TRUE(store_.sweep().empty()) << "what a save could not finish, it has removed";
  }

  TempDir disk_;
  CheckpointStore store_{disk_.path() / "checkpoints"};
  bool mounted_ = false;
};

TEST_F(FullDisk, KeepsTheNewestCheckpointAndTakesTheNextWhenThereIsRoom) {
  mount_disk("size=400k");
  if (IsSkipped()) {
    return;
  }
  std::int64_t step = 0;
  while (fits(store_, step + 1)) {
    expect_newest(++step);
  }
  EXPECT_GE(step, 3);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_FALSE(fits(store_, step + attempt));
    EXPECT_FALSE(fits(store_, step)) << "nor in the place of the newest";
    expect_newest(step);
  }
  store_.prune({.keep_last = 1}, step);
  EXPECT_TRUE(fits(store_, step + 1));
  expect_newest(step + 1);
}

TEST_F(FullDisk, IsNoHarmWhereverASaveFindsItFull) {
  constexpr std::size_t kPages = 60;
  mount_disk("size=240k");
  if (IsSkipped()) {
    return;
  }
  save_large(store_, 1);
  const auto free_pages = [this] { return fs::space(disk_.path()).available / kPageBytes; };
  ASSERT_LT(free_pages(), kPages);
  std::int64_t newest = 1;
  // A page more in every round, until all of it has room.
  for (std::size_t room = 0; newest == 1; ++room) {
    fs::remove(disk_.path() / "filler");
    const std::size_t filled = free_pages() - room;
    std::ofstream(disk_.path() / "filler") << std::string(filled * kPageBytes, 'f');
    ASSERT_EQ(free_pages(), room);
    if (fits(store_, 2)) {
      EXPECT_GT(room, 10) << "a save needs as much";
      newest = 2;
    }
    expect_newest(newest);
  }
}

TEST_F(FullDisk, MayLackRoomForNamesAlone) {
  mount_disk("size=4m,nr_inodes=20");
  if (IsSkipped()) {
    return;
  }
  std::int64_t step = 0;
  while (fits(store_, step + 1)) {
    expect_newest(++step);
  }
  EXPECT_GE(step, 2);
  expect_newest(step);
  store_.prune({.keep_last = 1}, step);
  EXPECT_TRUE(fits(store_, step + 1));
  expect_newest(step + 1);
}

}  // namespace
}  // namespace lockstep::checkpoint
