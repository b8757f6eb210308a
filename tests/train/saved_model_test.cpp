// What a training program has saved, read by Python.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/subprocess.h"
#include "train/resumed_runs.h"

namespace lockstep::testing {
namespace {

class SavedModel : public Resume {};

TEST_F(SavedModel, IsWhatPythonReads) {
  if (std::string(LOCKSTEP_TORCH_PYTHON).empty()) {
    GTEST_SKIP() << "there is no .deps/venv; tools/bootstrap --checks makes it";
  }
  train(2, {"--max-steps", "3", "--batch-norm", "--hidden", "4"});
  const std::string converted = (temp_.path() / "model.pt").string();
  const auto run = [](const Words& words) {
    return run_subprocess(words, {}, Deadline::after(std::chrono::seconds(100)));
  };
  const CompletedSubprocess conversion = run({LOCKSTEP_CONVERT, checkpoint(3).string(), converted});
  ASSERT_TRUE(conversion.status.ok()) << conversion.standard_error;
  const CompletedSubprocess python = run({LOCKSTEP_TORCH_PYTHON, LOCKSTEP_SAVED_MODEL_PEER,
                                          (checkpoint(3) / "model.safetensors").string(), converted});
  constexpr int kNotInstalled = 77;
  if (python.status.shell_code() == kNotInstalled) {
    GTEST_SKIP() << python.standard_error;
  }
  EXPECT_TRUE(python.status.ok()) << python.standard_error;
  EXPECT_EQ(python.standard_output,
            "hidden.bias torch.float32 [4]\n"
            "hidden.weight torch.float32 [4, 6]\n"
            "norm.bias torch.float32 [6]\n"
            "norm.num_batches_tracked torch.int64 []\n"
            "norm.running_mean torch.float32 [6]\n"
            "norm.running_var torch.float32 [6]\n"
            "norm.weight torch.float32 [6]\n"
            "scores.bias torch.float32 [3]\n"
            "scores.weight torch.float32 [3, 4]\n");
}

}  // namespace
}  // namespace lockstep::testing
