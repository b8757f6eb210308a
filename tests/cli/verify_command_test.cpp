#include "cli/verify_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "cli/program_run.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class VerifyCommand : public testing::Test {
 protected:
  VerifyCommand() { fs::copy(LOCKSTEP_CHECKPOINT, in("step-00000042")); }

  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  CompletedSubprocess run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "verify");
    return run_lockstep(arguments);
  }

  TempDir folder_;
};

TEST_F(VerifyCommand, SaysThatACheckpointIsUndamaged) {
  const auto done = run({in("step-00000042")});
  EXPECT_EQ(done.standard_output, in("step-00000042") + ": undamaged: step 42, 4 files, 854 B\n");
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.status.exit_code, 0);
}

TEST_F(VerifyCommand, LooksAtEveryCheckpointOfAFolder) {
  fs::copy(in("step-00000042"), in("step-100000000"));
  folder_.write("step-00000042/config.json", "{\"seed\": 8}\n");
  fs::remove(in("step-00000042/rng-0.bin"));
  const auto done = run({folder_.path().string()});
  EXPECT_EQ(done.standard_output, in("step-00000042") + ": damaged\n  " + in("step-00000042/config.json") +
                                      ": expected the checksum 3d321932526de343b28f354b1e6a8763, found "
                                      "1cefd37f3897c7f8120118ab35885ae1\n  " +
                                      in("step-00000042/rng-0.bin") + ": no such file\n" +
                                      in("step-100000000") + ": damaged\n  " + in("step-100000000") +
                                      ": its manifest is that of step 42\n");
  EXPECT_EQ(done.status.exit_code, 1);
}

TEST_F(VerifyCommand, WantsACheckpoint) {
  const auto none = run({});
  EXPECT_EQ(none.standard_error,
            "lockstep verify: expected the folder of a checkpoint\nrun 'lockstep verify --help' for how to "
            "use it\n");
  EXPECT_EQ(none.status.exit_code, 2);
  const auto missing = run({in("none")});
  EXPECT_THAT(missing.standard_error, HasSubstr(in("none") + ": no such checkpoint"));
  EXPECT_EQ(missing.status.exit_code, 2);
  fs::create_directory(in("empty"));
  const auto empty = run({in("empty")});
  EXPECT_EQ(empty.standard_output,
            in("empty") + ": damaged\n  " + in("empty/manifest.json") + ": no such file\n");
  EXPECT_EQ(empty.status.exit_code, 1);
}

}  // namespace
}  // namespace lockstep::cli
