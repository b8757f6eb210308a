#include "cli/config_diff_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_dir.h"
#include "cli/program_run.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ConfigDiff : public testing::Test {
 protected:
  std::string dump(const char* name, const char* lr) {
    return folder_.write(
        name, std::string(R"({"format": 1, "program": "train", "values": {"steps": 10, "optim": )") +
                  R"({"lr": )" + lr + R"(}}, "sources": {"steps": "default"}})");
  }

  TempDir folder_;
};

TEST_F(ConfigDiff, IsSilentWhenThereIsNoDifference) {
  const auto done = run_lockstep({"config-diff", dump("a.json", "0.1"), dump("b.json", "0.1")});
  EXPECT_EQ(done.status.exit_code, 0);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_EQ(done.standard_error, "");
}

TEST_F(ConfigDiff, PrintsTheDifferences) {
  const auto done = run_lockstep({"config-diff", dump("a.json", "0.1"), dump("b.json", "0.2")});
  EXPECT_EQ(done.status.exit_code, 1);
  EXPECT_EQ(done.standard_output, "optim.lr: 0.1 -> 0.2\n");
  EXPECT_EQ(done.standard_error, "");
}

TEST_F(ConfigDiff, RefusesAnythingButTwoFiles) {
  const auto done = run_lockstep({"config-diff", dump("a.json", "0.1")});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_error,
            "lockstep config-diff: expected two files, got 1\n"
            "run 'lockstep config-diff --help' for how to use it\n");
}

TEST_F(ConfigDiff, NamesTheFileThatCannotBeRead) {
  const std::string missing = (folder_.path() / "missing.json").string();
  const auto done = run_lockstep({"config-diff", dump("a.json", "0.1"), missing});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_error, "lockstep config-diff: invalid argument: " + missing +
                                     ": cannot be read: No such file or directory\n");
}

TEST_F(ConfigDiff, RefusesAFileThatIsNoDump) {
  const std::string broken = folder_.write("b.json", "not json").string();
  const auto done = run_lockstep({"config-diff", dump("a.json", "0.1"), broken});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_THAT(done.standard_error, StartsWith("lockstep config-diff: "));
  EXPECT_THAT(done.standard_error, HasSubstr("corrupt data"));
}

}  // namespace
}  // namespace lockstep::cli
