#include "cli/new_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "base/new_file.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// "out/" and "out" are the same folder; the draft is next to it.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() || !path.has_parent_path() ? path : path.parent_path();
}

std::string name_of(const fs::path& path) {
  return config::printable(path.string());
}

void require_free(const fs::path& path, std::string_view advice) {
  std::error_code problem;
  const bool exists = fs::exists(fs::symlink_status(path, problem));
  if (exists && !(fs::is_directory(path, problem) && fs::is_empty(path, problem))) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{}: already exists; {}", name_of(path), advice));
  }
}

[[noreturn]] void fail_to_create(const fs::path& path, const std::string& reason) {
  throw Error(ErrorCode::kSystem, fmt::format("cannot create {}: {}", name_of(path), reason));
}

}  // namespace

NewFolder::NewFolder(const fs::path& path, std::string_view advice)
    : path_(without_slash(path)), draft_(path_) {
  require_free(path_, advice);
  draft_ += fmt::format(".partial-{}", getpid());
  std::error_code problem;
  if (!fs::create_directory(draft_, problem)) {
    fail_to_create(path_, problem ? problem.message() : "its temporary name is taken");
  }
}

NewFolder::~NewFolder() {
  if (!committed_) {
    std::error_code ignored;  // a destructor cannot report it
    fs::remove_all(draft_, ignored);
  }
}

void NewFolder::commit() {
  std::error_code problem;
  fs::rename(draft_, path_, problem);
  if (problem) {
    fail_to_create(path_, problem.message());
  }
  committed_ = true;
  sync_parent(path_);
}

}  // namespace lockstep::cli
