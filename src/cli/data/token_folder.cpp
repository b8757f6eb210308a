#include "cli/data/token_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/new_file.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// "out/" and "out" are one folder, and its temporary name lies beside it.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() || !path.has_parent_path() ? path : path.parent_path();
}

std::string name_of(const fs::path& path) {
  return config::printable(path.string());
}

void require_room(const fs::path& path) {
  std::error_code problem;
  const bool there = fs::exists(fs::symlink_status(path, problem));
  if (there && !(fs::is_directory(path, problem) && fs::is_empty(path, problem))) {
    throw Error(ErrorCode::kInvalidArgument,
                name_of(path) + ": is there already; remove it, or choose another --output");
  }
}

}  // namespace

TokenFolder::TokenFolder(const fs::path& path, std::uint64_t tokens_per_shard)
    : path_(without_slash(path)), temporary_(path_), tokens_per_shard_(tokens_per_shard) {
  require_room(path_);
  temporary_ += fmt::format(".partial-{}", getpid());
  std::error_code problem;
  if (!fs::create_directory(temporary_, problem)) {
    throw Error(ErrorCode::kSystem, fmt::format("cannot create {}: {}", name_of(path_),
                                                problem ? problem.message() : "name is taken"));
  }
}

TokenFolder::~TokenFolder() {
  writer_.reset();
  if (!committed_) {
    std::error_code ignored;  // a destructor has nobody to tell
    fs::remove_all(temporary_, ignored);
  }
}

void TokenFolder::append(std::span<const std::uint32_t> tokens) {
  while (!tokens.empty()) {
    if (!writer_) {
      writer_.emplace(temporary_ / fmt::format("{:05}.tokens", shards_++), kByteTokens);
    }
    const std::size_t count = std::min<std::uint64_t>(tokens.size(), tokens_per_shard_ - writer_->size());
    writer_->append(tokens.first(count));
    tokens_ += count;
    tokens = tokens.subspan(count);
    if (writer_->size() == tokens_per_shard_) {
      finish_shard();
    }
  }
}

void TokenFolder::finish_shard() {
  writer_->commit();
  writer_.reset();
}

void TokenFolder::commit() {
  if (writer_) {
    finish_shard();
  }
  std::error_code problem;
  fs::rename(temporary_, path_, problem);
  if (problem) {
    throw Error(ErrorCode::kSystem, fmt::format("cannot create {}: {}", name_of(path_), problem.message()));
  }
  committed_ = true;
  sync_parent(path_);
}

}  // namespace lockstep::cli
