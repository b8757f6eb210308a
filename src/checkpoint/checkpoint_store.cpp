#include "checkpoint/checkpoint_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <system_error>
#include <utility>

#include "base/unique_fd.h"
#include "checkpoint/checkpoint_name.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

// The names of all folders in the store; none if it does not exist yet.
std::vector<std::string> folders_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(directory, problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem)) {
    std::error_code vanished;
    if (entry->is_directory(vanished)) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (problem && problem != std::errc::no_such_file_or_directory) {
    throw disk_error(problem.value(), "cannot read", directory);
  }
  return names;
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Each folder is on disk before anything is created in it.
void make_folders(DiskCalls& disk, const fs::path& path) {
  std::error_code problem;
  if (path.empty() || fs::is_directory(path, problem)) {
    return;
  }
  if (!path.has_filename()) {
    return make_folders(disk, path.parent_path());  // "runs/" is "runs"
  }
  make_folders(disk, path.parent_path());
  if (disk.make_directory(path) != 0 && errno != EEXIST) {
    throw disk_error(errno, "cannot create", path);
  }
  sync_directory(disk, parent_of(path));
}

// A folder that this process may not open was not created by it, and some file systems have nothing to sync.
void sync_if_it_can_be(DiskCalls& disk, const fs::path& path) {
  const UniqueFd opened(disk.open_directory(path));
  const bool done = opened && disk.sync(opened.get()) == 0;
  if (!done && errno != EACCES && errno != EPERM && errno != EINVAL && errno != EROFS) {
    throw disk_error(errno, "cannot sync", path);
  }
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path directory, DiskCalls& disk)
    : directory_(directory.empty() ? fs::path(".") : std::move(directory)), disk_(&disk) {}

fs::path CheckpointStore::path_of(std::int64_t step) const {
  return directory_ / checkpoint_name(step);
}

std::vector<std::int64_t> CheckpointStore::steps() const {
  std::vector<std::int64_t> steps;
  for (const std::string& name : folders_in(directory_)) {
    if (const auto step = step_of(name)) {
      steps.push_back(*step);
    }
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

NewestGood CheckpointStore::newest_good() const {
  NewestGood found;
  std::vector<std::int64_t> newest_first = steps();
  std::reverse(newest_first.begin(), newest_first.end());
  for (const std::int64_t step : newest_first) {
    try {
      found.checkpoint = Checkpoint::open(path_of(step));
      break;
    } catch (const Error& error) {
      found.refused.push_back({.step = step, .reason = error.message(), .code = error.code()});
    }
  }
  return found;
}

// The run's folder may have been created a moment ago, and a folder is lost with any of its parents.
void CheckpointStore::settle() const {
  make_folders(*disk_, directory_);
  std::error_code problem;
  fs::path path = fs::canonical(directory_, problem);
  if (problem) {
    throw disk_error(problem.value(), "cannot find", directory_);
  }
  while (path.has_relative_path()) {
    path = path.parent_path();
    sync_if_it_can_be(*disk_, path);
  }
}

CheckpointWriter CheckpointStore::begin(std::int64_t step) const {
  make_folders(*disk_, directory_);
  return CheckpointWriter::begin(directory_, step, *disk_);
}

CheckpointWriter CheckpointStore::join(std::string_view name) const {
  return CheckpointWriter::join(directory_, name, *disk_);
}

std::vector<std::string> CheckpointStore::sweep() const {
  std::vector<std::string> swept;
  for (const std::string& name : folders_in(directory_)) {
    if (!step_of_partial(name)) {
      continue;
    }
    if (const std::error_code problem = disk_->remove_tree(directory_ / name)) {
      throw disk_error(problem.value(), "cannot remove", directory_ / name);
    }
    swept.push_back(name);
  }
  std::sort(swept.begin(), swept.end());
  return swept;
}

std::vector<SavedStep> CheckpointStore::saved_up_to(std::int64_t step) const {
  std::vector<SavedStep> saved;
  for (const std::int64_t candidate : steps()) {
    if (candidate > step) {
      break;
    }
    if (const auto manifest = complete_manifest(path_of(candidate))) {
      saved.push_back({.step = candidate, .metric = manifest->metric});
    }
  }
  return saved;
}

// Renames each checkpoint before removing it, so that a kill leaves no checkpoint with files missing; the new names are
// on disk before anything is removed.
std::vector<std::int64_t> CheckpointStore::prune(const RetentionRules& rules, std::int64_t saved) const {
  const std::vector<SavedStep> candidates = saved_up_to(saved);
  if (candidates.empty() || candidates.back().step != saved) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("{}: not a complete checkpoint, so that no older one may be removed",
                            config::printable(path_of(saved).string())));
  }
  std::vector<std::int64_t> unwanted = steps_to_remove(candidates, rules);
  std::vector<fs::path> renamed;
  for (const std::int64_t step : unwanted) {
    const fs::path& path = renamed.emplace_back(directory_ / partial_name(step));
    if (disk_->rename(path_of(step), path) != 0) {
      throw disk_error(errno, "cannot rename to", path);
    }
  }
  if (!renamed.empty()) {
    sync_directory(*disk_, directory_);
  }
  for (const fs::path& path : renamed) {
    if (const std::error_code problem = disk_->remove_tree(path)) {
      throw disk_error(problem.value(), "cannot remove", path);
    }
  }
  return unwanted;
}

}  // namespace lockstep::checkpoint
