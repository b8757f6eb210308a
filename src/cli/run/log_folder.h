#pragma once

// The folder of the workers' output: <log-dir>/<run>/attempt_<n>/<rank>/{stdout,stderr}.log and error.json.

#include <filesystem>
#include <vector>

#include "base/unique_fd.h"
#include "cli/run/plan.h"

namespace lockstep::run {

inline constexpr const char* kOutLog = "stdout.log";
inline constexpr const char* kErrLog = "stderr.log";

class LogFolder {
 public:
  // Chooses and creates the run's folder. A second run of the same name gets "<run>_2": nothing is overwritten. Hosts
  // that share the log folder share the run's folder. Throws Error{kSystem}.
  LogFolder(const std::filesystem::path& log_dir, const Plan& plan);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path of_attempt(int attempt) const;
  std::filesystem::path of_rank(int attempt, int rank) const;

  // Creates the folders and files of an attempt before anything is started: an unwritable file is not the program's
  // fault. Throws Error{kSystem}.
  void prepare(int attempt, const Plan& plan) const;

 private:
  std::filesystem::path path_;
};

// Opens for appending; creates the file if necessary. Throws Error{kSystem}.
UniqueFd open_log(const std::filesystem::path& path);

}  // namespace lockstep::run
