#pragma once

// One run of the built `lockstep run` with scenario workers, from outside: what it prints, how it ends, and whether it
// leaves anything behind.
//
//   LauncherRun run({"-n", "2"}, {"fail", "exit3", "1"});
//   const FinishedRun& done = run.finish();
//   EXPECT_EQ(done.exit_code, 3);

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temp_dir.h"

namespace lockstep::run {

struct FinishedRun {
  int exit_code = 0;
  std::string out;
  std::string err;
  nlohmann::json report;  // null when there is none

  // The launcher's own lines on standard error, without what marks them as such.
  std::vector<std::string> messages() const;
};

class LauncherRun {
 public:
  // `wrapper` is a command that ends by starting what follows it.
  LauncherRun(const std::vector<std::string>& flags, const std::vector<std::string>& worker_arguments,
              const std::vector<std::string>& wrapper = {});
  ~LauncherRun();  // expects that nothing is left: no process, and no file but in the log folder
  LauncherRun(const LauncherRun&) = delete;
  LauncherRun& operator=(const LauncherRun&) = delete;

  pid_t pid() const { return launcher_.pid(); }
  // The process behind the one that was started. Waits until there is one.
  pid_t supervisor() const;
  void signal(int number) { launcher_.signal_alone(number); }

  // Takes in output until `count` lines have `text` in them. A test failure at a deadline.
  void await_lines(const std::string& text, int count);
  // Waits until as many workers have said that they are ready; their processes by rank.
  std::map<int, pid_t> await_ready(int workers);

  // Takes in all output and waits for the end.
  const FinishedRun& finish();
  // Waits for the end without reading anything.
  std::optional<int> exit_code_unread();

  // Processes that come from this run and still run.
  std::vector<pid_t> processes() const;
  void expect_processes_end() const;

  std::filesystem::path log_dir() const { return folder_.path() / "logs"; }

 private:
  bool take_output(const Deadline& deadline);

  TempDir folder_;
  std::string mark_;
  Subprocess launcher_;
  FinishedRun done_;
};

}  // namespace lockstep::run
