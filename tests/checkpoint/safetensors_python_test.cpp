// Our safetensors beside those of Python's package: each reads what the other wrote.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "checkpoint/file_image.h"
#include "checkpoint/new_file.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/sample_checkpoint.h"

namespace lockstep::checkpoint {
namespace {

using namespace std::chrono_literals;

// As the script prints it.
std::string listing_of(const Safetensors& file) {
  std::string listing;
  for (const TensorView& tensor : file.tensors) {
    std::string digits;
    for (const std::byte byte : tensor.bytes) {
      digits += fmt::format("{:02x}", std::to_integer<int>(byte));
    }
    listing += fmt::format("{} {} [{}] {}\n", tensor.name, to_string(tensor.type),
                           fmt::join(tensor.shape, ","), digits);
  }
  for (const auto& [name, text] : file.metadata) {
    listing += fmt::format("metadata {} {}\n", name, text);
  }
  return listing;
}

class PythonSafetensors : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LOCKSTEP_SAFETENSORS_PYTHON).empty()) {
      GTEST_SKIP() << "there is no .deps/venv; tools/bootstrap --checks makes it";
    }
    if (!run("write", path())) {
      GTEST_SKIP() << "no safetensors is installed; tools/bootstrap --checks does it";
    }
  }

  std::string path(const std::string& name = "theirs") const { return (folder_.path() / name).string(); }

  // What the script prints; nothing when there is no such package.
  static std::optional<std::string> run(const std::string& action, const std::string& path) {
    const auto done = run_subprocess({LOCKSTEP_SAFETENSORS_PYTHON, LOCKSTEP_SAFETENSORS_PEER, action, path},
                                     {.environment = {{"PYTHONIOENCODING", "utf-8"}}}, Deadline::after(60s));
    constexpr int kNotInstalled = 77;
    if (done.status.shell_code() == kNotInstalled) {
      return std::nullopt;
    }
    EXPECT_TRUE(done.status.ok()) << done.standard_error;
    return done.standard_output;
  }

  TempDir folder_;
};

TEST_F(PythonSafetensors, AreReadByUs) {
  const std::string bytes = content_of(path());
  const Safetensors file = parse_safetensors("theirs", as_bytes(bytes));
  EXPECT_EQ(file.tensors.size(), 11);
  EXPECT_EQ(listing_of(file), run("read", path()));
}

TEST_F(PythonSafetensors, ReadOurs) {
  const std::string theirs = content_of(path());
  Safetensors file = parse_safetensors("theirs", as_bytes(theirs));
  file.metadata["a \"quoted\" \\ name"] = "größe";
  FileImage ours;
  write_safetensors(ours, file.tensors, file.metadata);
  write_new_file(DiskCalls::real(), path("ours"), ours.bytes());
  EXPECT_EQ(run("read", path("ours")), listing_of(file));
}

}  // namespace
}  // namespace lockstep::checkpoint
