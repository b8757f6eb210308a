// lockstep-convert as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/safetensors.h"
#include "convert/sample_archive.h"

namespace lockstep::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConvertProgram : public testing::Test {
 protected:
  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  static CompletedSubprocess run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LOCKSTEP_CONVERT);
    return run_subprocess(arguments, {}, Deadline::after(std::chrono::seconds(50)));
  }

  // Nothing may be left behind: neither the output nor what it was to be made from.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    const auto count = [this] { return std::distance(fs::directory_iterator(folder_.path()), {}); };
    const auto before = count();
    const auto done = run(arguments);
    EXPECT_EQ(done.standard_error, "lockstep-convert: " + message + "\n");
    EXPECT_EQ(done.standard_output, "");
    EXPECT_EQ(done.status.exit_code, 2);
    EXPECT_EQ(count(), before);
  }

  std::string content_of(const std::string& name) const {
    std::ifstream file(in(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // An archive with a tensor of four floats.
  void write_archive(const std::string& name) const {
    folder_.write(
        name, archive_of(pickled::program(pickled::dict(
                             pickled::text("w") + pickled::tensor(pickled::storage("0", 4), 0, {4}, {1}))),
                         {{"0", "aaaabbbbccccdddd"}}));
  }

  TempDir folder_;
};

TEST_F(ConvertProgram, ConvertsThereAndBack) {
  write_archive("a.pt");
  const auto there = run({in("a.pt"), in("a.safetensors")});
  EXPECT_EQ(there.standard_output, in("a.safetensors") + ": 1 tensor, 16 bytes\n");
  EXPECT_EQ(there.standard_error, "");
  EXPECT_EQ(there.status.exit_code, 0);
  const auto back = run({in("a.safetensors"), in("b.pth")});
  EXPECT_EQ(back.standard_output, in("b.pth") + ": 1 tensor, 16 bytes\n");
  const auto again = run({in("b.pth"), in("b.safetensors")});
  EXPECT_EQ(again.status.exit_code, 0);
  EXPECT_EQ(content_of("a.safetensors"), content_of("b.safetensors"));
  EXPECT_THAT(content_of("a.safetensors"), HasSubstr(R"("__metadata__":{"format":"pt"})"));
}

TEST_F(ConvertProgram, OverwritesOnlyWhenAsked) {
  write_archive("a.pt");
  folder_.write("a.safetensors", "precious");
  expect_refused({in("a.pt"), in("a.safetensors")},
                 "invalid argument: " + in("a.safetensors") + ": already exists; --force overwrites it");
  EXPECT_EQ(content_of("a.safetensors"), "precious");
  EXPECT_EQ(run({"--force", in("a.pt"), in("a.safetensors")}).status.exit_code, 0);
  EXPECT_NE(content_of("a.safetensors"), "precious");
}

TEST_F(ConvertProgram, LeavesWhatIsThereWhenItFails) {
  folder_.write("a.pt", archive_of(pickled::program(pickled::global("os", "system") + "(" +
                                                    pickled::text("touch " + in("owned")) + "tR")));
  folder_.write("a.safetensors", "precious");
  expect_refused(
      {"--force", in("a.pt"), in("a.safetensors")},
      "unsupported: " + in("a.pt") +
          ": data.pkl: byte 2: the global os.system is refused: a state_dict of dense tensors does not "
          "need it");
  EXPECT_EQ(content_of("a.safetensors"), "precious");
}

TEST_F(ConvertProgram, TakesAPartOfACheckpoint) {
  auto writer = checkpoint::CheckpointWriter::begin(folder_.path(), 7);
  for (const char* name : {"model", "ema", "optimizer-1-of-2", "optimizer-2-of-2"}) {
    writer.add(std::string(name) + ".safetensors", [name](checkpoint::ByteSink& sink) {
      checkpoint::write_safetensors(sink, {{.name = name, .shape = {}, .bytes = as_bytes("x")}});
    });
  }
  const std::string folder = writer.commit({.step = 7, .files = writer.files()}).string();
  EXPECT_EQ(run({folder, in("model.pt")}).status.exit_code, 0);
  EXPECT_EQ(run({"--part", "ema", folder, in("ema.pt")}).status.exit_code, 0);
  EXPECT_EQ(run({in("ema.pt"), in("ema.safetensors")}).status.exit_code, 0);
  EXPECT_THAT(content_of("ema.safetensors"), HasSubstr(R"("ema":{"dtype":"U8")"));
  // What several ranks wrote is one again.
  EXPECT_EQ(run({"--part", "optimizer", folder, in("state.pt")}).status.exit_code, 0);
  EXPECT_EQ(run({in("state.pt"), in("state.safetensors")}).status.exit_code, 0);
  EXPECT_THAT(content_of("state.safetensors"), AllOf(HasSubstr(R"("optimizer-1-of-2":{"dtype":"U8")"),
                                                     HasSubstr(R"("optimizer-2-of-2":{"dtype":"U8")")));
  const std::string bare =
      checkpoint::CheckpointWriter::begin(folder_.path(), 8).commit({.step = 8}).string();
  expect_refused({"--part", "optimizer", bare, in("optimizer.pt")},
                 "not found: the checkpoint " + bare + " has no 'optimizer.safetensors'");
  folder_.write("step-00000007/ema.safetensors", "damaged");
  const auto damaged = run({folder, in("again.pt")});
  EXPECT_THAT(damaged.standard_error, HasSubstr("the checkpoint " + folder + " cannot be used"));
  EXPECT_FALSE(fs::exists(in("again.pt")));
}

TEST_F(ConvertProgram, WantsTwoFormsAndOptionsThatFit) {
  write_archive("a.pt");
  EXPECT_EQ(
      run({in("a.pt")}).standard_error,
      "lockstep-convert: expected IN and OUT, got 1\nrun 'lockstep-convert --help' for how to use it\n");
  expect_refused({in("a.pt"), in("b.pth")},
                 "invalid argument: " + in("b.pth") +
                     ": expected a name that ends in .safetensors, another form than that of " + in("a.pt"));
  expect_refused({in("a.safetensors"), in("b.safetensors")},
                 "invalid argument: " + in("b.safetensors") +
                     ": expected a name that ends in .pt or .pth, another form than that of " +
                     in("a.safetensors"));
  expect_refused({in("a.pt"), in("b.npz")}, "invalid argument: " + in("b.npz") +
                                                ": expected a name that ends in .safetensors, .pt or .pth");
  expect_refused({"--key", "model", in("a.safetensors"), in("b.pt")},
                 "invalid argument: " + in("a.safetensors") +
                     ": a file of tensors has no keys to choose from; --key is for .pt and .pth");
  expect_refused(
      {"--part", "ema", in("a.pt"), in("b.safetensors")},
      "invalid argument: " + in("a.pt") + ": a file has no parts to choose from; --part is for checkpoints");
  expect_refused({in("none.pt"), in("b.safetensors")}, "not found: " + in("none.pt") + ": no such file");
}

}  // namespace
}  // namespace lockstep::convert
