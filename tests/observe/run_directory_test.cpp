#include "observe/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "base/temp_dir.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal_of(const fs::path& path) {
  try {
    RunDirectory::create(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    return error.message();
  }
  return "";
}

std::string line_of(const fs::path& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

TEST(RunDirectory, MakesItselfWithItsParents) {
  const TempDir folder;
  const RunDirectory run = RunDirectory::create(folder.path() / "a/b");
  EXPECT_EQ(run.path(), folder.path() / "a/b");
  EXPECT_EQ(run.config(), run.path() / "config.json");
  EXPECT_EQ(run.report(), run.path() / "report.html");
  EXPECT_EQ(run.log_file(12), run.path() / "logs/rank-12.log");
  EXPECT_TRUE(fs::is_directory(run.path() / "logs"));
  EXPECT_EQ(std::distance(fs::directory_iterator(run.path()), {}), 1)
      << "trying it out leaves nothing behind";
  EXPECT_TRUE(fs::is_empty(run.path() / "logs"));
}

TEST(RunDirectory, TakesOneThatIsThere) {
  const TempDir folder;
  RunDirectory::create(folder.path()).write_config("first");
  const RunDirectory again = RunDirectory::create(folder.path());
  EXPECT_EQ(line_of(again.config()), "first");
}

TEST(RunDirectory, ReplacesItsFilesAsAWhole) {
  const TempDir folder;
  const RunDirectory run = RunDirectory::create(folder.path());
  run.write_report("a long report");
  run.write_report("short");
  EXPECT_EQ(line_of(run.report()), "short");
}

TEST(RunDirectory, RefusesAPathThatIsAFile) {
  const TempDir folder;
  const fs::path file = folder.write("taken", "");
  EXPECT_THAT(refusal_of(file), AllOf(StartsWith("the run directory " + file.string() + " cannot be used: "),
                                      HasSubstr("Not a directory")));
  EXPECT_THAT(refusal_of(file / "below"), HasSubstr("Not a directory"));
  EXPECT_EQ(refusal_of(""), "the run directory '' cannot be used: its name is empty");
}

// Root may write anywhere, so it becomes nobody for a while.
class NoPermission {
 public:
  explicit NoPermission(const fs::path& folder) : folder_(folder), user_(geteuid()) {
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    constexpr uid_t kNobody = 65534;
    EXPECT_TRUE(user_ != 0 || seteuid(kNobody) == 0);
  }
  NoPermission(const NoPermission&) = delete;
  NoPermission& operator=(const NoPermission&) = delete;
  ~NoPermission() {
    EXPECT_EQ(seteuid(user_), 0);
    fs::permissions(folder_, fs::perms::owner_all);
  }

 private:
  fs::path folder_;
  uid_t user_;
};

TEST(RunDirectory, SaysWhenItMayNotBeMade) {
  const TempDir folder;
  const NoPermission guard(folder.path());
  EXPECT_EQ(refusal_of(folder.path() / "run"), "the run directory " + (folder.path() / "run").string() +
                                                   " cannot be used: cannot create " +
                                                   (folder.path() / "run").string() + ": Permission denied");
}

TEST(RunDirectory, SaysWhenNothingMayBeWrittenIntoIt) {
  const TempDir folder;
  RunDirectory::create(folder.path());
  fs::permissions(folder.path(), fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
  const NoPermission guard(folder.path() / "logs");
  EXPECT_THAT(refusal_of(folder.path()), AllOf(StartsWith("the run directory " + folder.path().string()),
                                               HasSubstr("Permission denied")));
}

TEST(RunDirectory, IsNamedAfterTheProgramAndTheLocalTime) {
  const TempDir folder;
  setenv("TZ", "UTC-1", 1);
  tzset();
  const auto now = std::chrono::system_clock::from_time_t(1'794'817'800);  // 2026-11-16 08:30:00 UTC
  EXPECT_EQ(RunDirectory::create_new(folder.path() / "runs", "digits", now).path(),
            folder.path() / "runs/digits-20261116-093000");
  EXPECT_EQ(RunDirectory::create_new(folder.path() / "runs", "digits", now).path(),
            folder.path() / "runs/digits-20261116-093000-2");
  folder.write("runs/digits-20261116-093000-3", "a file");
  EXPECT_EQ(RunDirectory::create_new(folder.path() / "runs", "digits", now).path(),
            folder.path() / "runs/digits-20261116-093000-4");
  EXPECT_EQ(RunDirectory::create_new(folder.path(), "../my run", now).path(),
            folder.path() / "-.-my-run-20261116-093000");
  EXPECT_EQ(RunDirectory::create_new(folder.path(), "", now).path(), folder.path() / "run-20261116-093000");
}

TEST(RunDirectory, KnowsTheRunsOfAProgramInTheirOrder) {
  const TempDir folder;
  for (const char* run :
       {"digits-20261116-093000-10", "digits-20261116-093000-2", "digits-20261115-235959",
        "digits-20261116-093000", "digits-small-20261116-093000", "digits-2026", "gpt-20261116-093000"}) {
    fs::create_directories(folder.path() / run);
  }
  EXPECT_EQ(RunDirectory::list(folder.path(), "digits"),
            (std::vector<fs::path>{
                folder.path() / "digits-20261115-235959", folder.path() / "digits-20261116-093000",
                folder.path() / "digits-20261116-093000-2", folder.path() / "digits-20261116-093000-10"}));
  EXPECT_TRUE(RunDirectory::list(folder.path() / "none", "digits").empty());
}

}  // namespace
}  // namespace lockstep
