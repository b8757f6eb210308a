#include "cli/run/log_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temp_dir.h"
#include "lockstep/error.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;

// Two ranks of a run called "night", from `first_rank` on.
Plan plan_from(int first_rank) {
  Plan plan;
  plan.run_id = "night";
  for (int i = 0; i < 2; ++i) {
    plan.workers.push_back({.rank = first_rank + i, .local_rank = i});
  }
  return plan;
}

TEST(LogFolder, HasAFolderForEveryAttemptAndRank) {
  const TempDir root;
  const LogFolder folder(root.path() / "deep" / "logs", plan_from(4));
  EXPECT_EQ(folder.path(), root.path() / "deep" / "logs" / "night");
  EXPECT_TRUE(fs::is_directory(folder.path()));
  folder.prepare(2, plan_from(4));
  EXPECT_EQ(folder.of_attempt(2), folder.path() / "attempt_2");
  EXPECT_EQ(folder.of_rank(2, 5), folder.path() / "attempt_2" / "5");
  EXPECT_TRUE(fs::is_directory(folder.of_rank(2, 4)));
  EXPECT_TRUE(fs::is_directory(folder.of_rank(2, 5)));
}

TEST(LogFolder, IsNeverThatOfAnEarlierRun) {
  const TempDir root;
  const Plan plan = plan_from(0);
  for (const char* name : {"night", "night_2", "night_3"}) {
    const LogFolder folder(root.path(), plan);
    EXPECT_EQ(folder.path(), root.path() / name);
    folder.prepare(0, plan);
  }
}

TEST(LogFolder, IsSharedByTheHostsOfARun) {
  const TempDir root;
  for (const char* name : {"night", "night_2"}) {
    for (const int first_rank : {0, 2}) {
      const LogFolder folder(root.path(), plan_from(first_rank));
      EXPECT_EQ(folder.path(), root.path() / name);
      folder.prepare(0, plan_from(first_rank));
    }
  }
}

TEST(LogFolder, IsAbsoluteForWorkersThatChangeTheirFolder) {
  const TempDir root;
  const fs::path before = fs::current_path();
  fs::current_path(root.path());
  const LogFolder folder("logs", plan_from(0));
  fs::current_path(before);
  EXPECT_EQ(folder.path(), root.path() / "logs" / "night");
}

TEST(LogFolder, HasTheFilesThatArePlanned) {
  const TempDir root;
  Plan plan = plan_from(0);
  plan.workers[0].to_file = {.out = true, .err = false};
  const LogFolder folder(root.path(), plan);
  folder.prepare(0, plan);
  EXPECT_TRUE(fs::exists(folder.of_rank(0, 0) / "stdout.log"));
  EXPECT_FALSE(fs::exists(folder.of_rank(0, 0) / "stderr.log"));
  EXPECT_FALSE(fs::exists(folder.of_rank(0, 1) / "stdout.log"));
}

TEST(LogFolder, SaysBeforeAnythingIsStartedThatAFileCannotBeWritten) {
  const TempDir root;
  Plan plan = plan_from(0);
  plan.workers[1].to_file = {.out = false, .err = true};
  const LogFolder folder(root.path(), plan);
  const fs::path file = folder.of_rank(0, 1) / "stderr.log";
  fs::create_directories(file);
  try {
    folder.prepare(0, plan);
    FAIL() << "opened a folder as a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "cannot write to " + file.string() + ": Is a directory");
  }
}

TEST(LogFolder, SaysWhyItCannotBeMade) {
  const TempDir root;
  const fs::path file = root.write("file", "");
  try {
    const LogFolder folder(file, plan_from(0));
    FAIL() << "made a folder in a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "cannot make the log folder " + (file / "night").string() + ": Not a directory");
  }
}

TEST(OpenLog, Appends) {
  const TempDir root;
  const fs::path path = root.write("stdout.log", "old\n");
  const UniqueFd file = open_log(path);
  ASSERT_EQ(write(file.get(), "new\n", 4), 4);
  std::string text;
  std::ifstream stream(path);
  std::getline(stream, text, '\0');
  EXPECT_EQ(text, "old\nnew\n");
}

TEST(OpenLog, SaysWhyItCannotBeWritten) {
  try {
    open_log("/no/such/folder/stdout.log");
    FAIL() << "opened a file in no folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "cannot write to /no/such/folder/stdout.log: No such file or directory");
  }
}

}  // namespace
}  // namespace lockstep::run
