// lockstep-convert beside PyTorch itself: what it saves is read, what we write it loads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "convert/sample_archive.h"
#include "convert/zip_writer.h"

namespace lockstep::convert {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class PythonStateDict : public testing::Test {
 protected:
  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  CompletedSubprocess python(const std::string& action) const {
    return run_subprocess({LOCKSTEP_TORCH_PYTHON, LOCKSTEP_STATE_DICT_PEER, action, folder_.path().string()},
                          {.environment = {{"PYTHONIOENCODING", "utf-8"}}}, Deadline::after(100s));
  }

  // What it says when it refuses, or nothing.
  static std::string convert(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LOCKSTEP_CONVERT);
    return run_subprocess(arguments, {}, Deadline::after(50s)).standard_error;
  }

  void write_large_zip() const {
    MemorySink sink;
    ZipWriter zip(sink, 100);
    zip.add("a/one", as_bytes("first"));
    zip.add("a/two", as_bytes(std::string(1000, 'x')));
    zip.finish();
    folder_.write("large.zip", sink.content);
  }

  TempDir folder_;
};

// One test, since each start of PyTorch takes seconds.
TEST_F(PythonStateDict, ConvertsThereAndBackWithEqualTensors) {
  if (std::string(LOCKSTEP_TORCH_PYTHON).empty()) {
    GTEST_SKIP() << "there is no .deps/venv; tools/bootstrap --checks makes it";
  }
  const auto written = python("write");
  constexpr int kNotInstalled = 77;
  if (written.status.shell_code() == kNotInstalled) {
    GTEST_SKIP() << written.standard_error;
  }
  ASSERT_TRUE(written.status.ok()) << written.standard_error;
  EXPECT_EQ(convert({in("theirs.pt"), in("theirs.safetensors")}), "");
  EXPECT_EQ(convert({in("theirs.safetensors"), in("back.pt")}), "");
  EXPECT_EQ(convert({"--key", "model", in("nested.pt"), in("nested.safetensors")}), "");
  write_large_zip();
  const auto checked = python("check");
  EXPECT_EQ(checked.standard_output, "equal\n") << checked.standard_error;

  EXPECT_THAT(convert({in("nested.pt"), in("x.safetensors")}),
              HasSubstr("say --key with one of 'model', 'optimizer'"));
  EXPECT_THAT(convert({in("hostile.pt"), in("x.safetensors")}),
              HasSubstr("the global posix.system is refused"));
  EXPECT_THAT(convert({in("script.pt"), in("x.safetensors")}), HasSubstr("this is a TorchScript archive"));
  EXPECT_THAT(convert({in("legacy.pt"), in("x.safetensors")}),
              HasSubstr("the form of torch.save before PyTorch 1.6"));
  EXPECT_FALSE(std::filesystem::exists(in("x.safetensors")));
}

}  // namespace
}  // namespace lockstep::convert
