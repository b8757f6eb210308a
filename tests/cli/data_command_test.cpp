#include "cli/data_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "cli/program_run.h"
#include "lockstep/token_data.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class DataCommand : public testing::Test {
 protected:
  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  CompletedSubprocess run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "data");
    return run_lockstep(arguments);
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    const auto done = run(arguments);
    EXPECT_EQ(done.status.exit_code, 2);
    EXPECT_EQ(done.standard_output, "");
    EXPECT_EQ(done.standard_error, message);
  }

  TempDir folder_;
};

TEST_F(DataCommand, MakesShardsFromTextFiles) {
  fs::create_directory(folder_.path() / "text");
  folder_.write("text/b.txt", "\xFFx");
  folder_.write("text/a.txt", "hi");
  const auto done = run({"tokens", in("text"), "--output", in("out"), "--shard-size", "8"});
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.standard_output, in("out") + ": 6 tokens in 2 shards, from 2 files (4 B)\n");
  EXPECT_EQ(done.status.exit_code, 0);

  const TokenData data(token_shards_in(in("out")), {.length = 6});
  EXPECT_EQ(data.vocabulary(), 257);
  std::vector<std::int64_t> tokens(6);
  data.read(0, tokens);
  EXPECT_THAT(tokens, ElementsAre('h', 'i', 256, 0xFF, 'x', 256));
}

TEST_F(DataCommand, ReadsFilesOfAnySizeInPieces) {
  std::string text;
  for (int i = 0; text.size() < (3 << 20) + 5; ++i) {
    text += std::to_string(i) + ' ';
  }
  const auto done =
      run({"tokens", folder_.write("big", text).string(), "--no-separator", "--output", in("out")});
  EXPECT_EQ(done.status.exit_code, 0) << done.standard_error;
  const TokenData data(token_shards_in(in("out")), {.length = text.size()});
  ASSERT_EQ(data.tokens(), text.size());
  std::vector<std::int64_t> tokens(text.size());
  data.read(0, tokens);
  EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(), text.begin()));
}

TEST_F(DataCommand, LeavesNothingBehindWhenItFails) {
  const std::string good = folder_.write("good.txt", "text").string();
  const std::string before = "lockstep data: ";
  expect_refused({"tokens", good, in("none.txt"), "--output", in("out")},
                 before + "not found: " + in("none.txt") + ": No such file or directory\n");
  expect_refused({"tokens", folder_.write("empty", "").string(), "--no-separator", "--output", in("out")},
                 before + "invalid argument: there is no text in what was to be read\n");
  expect_refused(
      {"tokens", good, "--output", good},
      before + "invalid argument: " + good + ": already exists; remove it, or choose another --output\n");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    left.push_back(entry.path().filename());
  }
  EXPECT_THAT(left, testing::UnorderedElementsAre("good.txt", "empty"));
}

TEST_F(DataCommand, ShowsAShardAndWhetherItIsUndamaged) {
  const std::string path = in("x.tokens");
  TokenShardWriter writer(path, {.width = TokenWidth::kU32, .vocabulary = 70000});
  writer.append(std::vector<std::uint32_t>{1, 69999});
  writer.commit();
  const auto good = run({"info", path});
  EXPECT_EQ(good.status.exit_code, 0) << good.standard_error;
  EXPECT_THAT(good.standard_output, StartsWith(path + "\n"
                                                      "  tokens      2\n"
                                                      "  token size  4 bytes\n"
                                                      "  vocabulary  70000\n"
                                                      "  checksum    "));
  EXPECT_THAT(good.standard_output, testing::EndsWith("\n  undamaged\n"));

  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(64).put('x');
  const auto damaged = run({"info", path});
  EXPECT_EQ(damaged.status.exit_code, 1);
  EXPECT_THAT(damaged.standard_output,
              HasSubstr("  damaged     " + path + ": expected tokens with the checksum "));
}

TEST_F(DataCommand, RefusesAFileThatIsNoShard) {
  const std::string path = folder_.write("x", std::string(64, ' ')).string();
  expect_refused({"info", path},
                 "lockstep data: corrupt data: " + path +
                     ": byte 0: expected 'LSTOKENS', the start of a token shard, found '        '\n");
}

TEST_F(DataCommand, SaysHowItIsUsed) {
  const auto help = run({"--help"});
  EXPECT_EQ(help.status.exit_code, 0);
  EXPECT_THAT(help.standard_output, StartsWith("usage: lockstep data tokens --output FOLDER"));
  EXPECT_EQ(run({}).standard_error, help.standard_output);
  EXPECT_EQ(run({}).status.exit_code, 2);
  expect_refused({"toknes"}, "lockstep data: unknown action 'toknes'; there are 'tokens' and 'info'\n");
  expect_refused(
      {"info"},
      "lockstep data info: expected a token shard to look at\nrun 'lockstep data info --help' for how to "
      "use it\n");
  expect_refused(
      {"tokens", "--output", in("out")},
      "lockstep data tokens: expected a file or folder to read\nrun 'lockstep data tokens --help' for how "
      "to use it\n");
  EXPECT_THAT(run({"tokens", "x"}).standard_error, HasSubstr("--output"));
  EXPECT_EQ(run({"tokens", "--help"}).status.exit_code, 0);
}

}  // namespace
}  // namespace lockstep::cli
