#include "cli/run/log_folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "lockstep/error.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw Error::from_errno(error.value(), "cannot make the log folder", path.string());
  }
}

}  // namespace

LogFolder::LogFolder(const fs::path& log_dir, const Plan& plan) {
  std::error_code ignored;
  const std::string absolute = fs::absolute(log_dir, ignored).string();
  path_ = fs::path(absolute) / plan.run_id;
  for (int count = 2; fs::exists(of_rank(0, plan.workers.front().rank), ignored); ++count) {
    path_ = fs::path(absolute) / fmt::format("{}_{}", plan.run_id, count);
  }
  make_folders(path_);
}

fs::path LogFolder::of_attempt(int attempt) const {
  return path_ / fmt::format("attempt_{}", attempt);
}

fs::path LogFolder::of_rank(int attempt, int rank) const {
  return of_attempt(attempt) / std::to_string(rank);
}

void LogFolder::prepare(int attempt, const Plan& plan) const {
  for (const WorkerPlan& worker : plan.workers) {
    const fs::path folder = of_rank(attempt, worker.rank);
    make_folders(folder);
    if (worker.to_file.out) {
      open_log(folder / kOutLog);
    }
    if (worker.to_file.err) {
      open_log(folder / kErrLog);
    }
  }
}

UniqueFd open_log(const fs::path& path) {
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file) {
    throw Error::from_errno(errno, "cannot write to", path.string());
  }
  return file;
}

}  // namespace lockstep::run
