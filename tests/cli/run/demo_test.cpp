// What `make demo` runs, killed after its first checkpoint: the line that it printed takes it up, and it ends as if nothing
// had happened.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "checkpoint/checkpoint_store.h"
#include "cli/run/launcher_run.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;
using checkpoint::CheckpointStore;

class Demo : public testing::Test {
 protected:
  static constexpr std::int64_t kSteps = 60;

  CheckpointStore checkpoints(const std::string& run) const {
    return CheckpointStore(temporary_.path() / run / "checkpoints");
  }
  std::vector<std::string> arguments(const std::string& run) const {
    return {"--run-dir",    (temporary_.path() / run).string(),
            "--max-steps",  std::to_string(kSteps),
            "--save-every", "5",
            "--no-progress"};
  }
  void await_checkpoint(const std::string& run) const {
    const Deadline deadline = Deadline::after(std::chrono::seconds(100));
    while (checkpoints(run).steps().empty() && !deadline.expired()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(deadline.expired());
  }
  static std::string line_after(const std::string& text, const std::string& mark) {
    const auto begin = text.find(mark);
    return begin == std::string::npos
               ? ""
               : text.substr(begin + mark.size(), text.find('\n', begin) - begin - mark.size());
  }

  TempDir temporary_;
};

TEST_F(Demo, GoesOnAfterItWasKilled) {
  LauncherRun whole({"-n", "2"}, arguments("whole"));
  ASSERT_EQ(whole.finish().exit_code, 0) << whole.finish().err;

  LauncherRun killed({"-n", "2"}, arguments("run"));
  await_checkpoint("run");
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.exit_code_unread(), 128 + SIGKILL);
  killed.expect_processes_end();
  const std::string command = line_after(killed.finish().err, "when it is stopped it goes on with: ");
  ASSERT_NE(command, "") << killed.finish().err;
  ASSERT_LT(checkpoints("run").steps().back(), kSteps) << "it was killed before its end";

  const CompletedSubprocess resumed =
      run_subprocess({"sh", "-c", command}, {.working_directory = temporary_.path()},
                     Deadline::after(std::chrono::seconds(100)));
  EXPECT_TRUE(resumed.status.ok()) << command << "\n" << resumed.standard_error;
  EXPECT_NE(resumed.standard_error.find("resumed after step "), std::string::npos);
  const auto a = checkpoint::Checkpoint::open(checkpoints("whole").path_of(kSteps));
  const auto b = checkpoint::Checkpoint::open(checkpoints("run").path_of(kSteps));
  for (const checkpoint::FileEntry& file : a.manifest().files) {
    if (file.name != "config.json") {  // which names the folder
      ASSERT_NE(b.manifest().find(file.name), nullptr) << file.name;
      EXPECT_EQ(*b.manifest().find(file.name), file);
    }
  }
}

}  // namespace
}  // namespace lockstep::run
