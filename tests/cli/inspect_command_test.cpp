#include "cli/inspect_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/temp_dir.h"
#include "checkpoint/checkpoint_writer.h"
#include "cli/program_run.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(InspectCommand, ShowsWhatIsInACheckpoint) {
  const auto done = run_lockstep({"inspect", LOCKSTEP_CHECKPOINT});
  EXPECT_EQ(done.standard_output,
            "step    42\n"
            "ranks   2\n"
            "metric  0.25\n"
            "\n"
            "files\n"
            "  config.json        12 B\n"
            "  model.safetensors  826 B\n"
            "  rng-0.bin          16 B\n"
            "  rng-1.bin          0 B\n"
            "\n"
            "config.json\n"
            "  {\"seed\": 7}\n"
            "\n"
            "tensors in model.safetensors: 12\n"
            "  bf         BF16  [2]\n"
            "  count      I64   []\n"
            "  empty      F16   [0, 4]\n"
            "  fc.bias    F32   [3]\n"
            "  fc.weight  F32   [2, 3]\n"
            "  größe      U8    [2]\n"
            "  half       F16   [1]\n"
            "  ids        I32   [2]\n"
            "  mask       BOOL  [3]\n"
            "  scale      F64   [1]\n"
            "  short      I16   [1]\n"
            "  tiny       I8    [1]\n"
            "  metadata 'format' = 'pt'\n");
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.status.exit_code, 0);
}

TEST(InspectCommand, ShowsNothingThatATerminalWouldObey) {
  const TempDir folder;
  auto writer = checkpoint::CheckpointWriter::begin(folder.path(), 1);
  writer.add("config.json", std::as_bytes(std::span(std::string_view("{\x1b[2J\n\n}"))));
  const fs::path path = writer.commit({.step = 1, .files = writer.files()});
  const auto done = run_lockstep({"inspect", path.string()});
  EXPECT_THAT(done.standard_output, HasSubstr("\nconfig.json\n  {\\x1b[2J\n  \n  }\n"));
}

TEST(InspectCommand, RefusesADamagedCheckpoint) {
  const TempDir folder;
  fs::copy(LOCKSTEP_CHECKPOINT, folder.path() / "step-00000042");
  folder.write("step-00000042/rng-1.bin", "x");
  const std::string path = (folder.path() / "step-00000042").string();
  const auto done = run_lockstep({"inspect", path});
  EXPECT_EQ(done.standard_output, "");
  EXPECT_THAT(done.standard_error, HasSubstr("the checkpoint " + path + " cannot be used: " + path +
                                             "/rng-1.bin: expected 0 bytes, found 1"));
  EXPECT_EQ(done.status.exit_code, 2);
}

TEST(InspectCommand, WantsOneCheckpoint) {
  const auto done = run_lockstep({"inspect"});
  EXPECT_EQ(done.standard_error,
            "lockstep inspect: expected the folder of one checkpoint, got 0\n"
            "run 'lockstep inspect --help' for how to use it\n");
  EXPECT_EQ(done.status.exit_code, 2);
}

}  // namespace
}  // namespace lockstep::cli
