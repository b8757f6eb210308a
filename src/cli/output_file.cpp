#include "cli/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::cli {

OutputFile::OutputFile(std::optional<std::filesystem::path> path) : path_(std::move(path)) {
  if (!path_) {
    return;
  }
  stream_.open(*path_);
  if (!stream_) {
    throw Error::from_errno(errno, "cannot write", path_->string());
  }
}

void OutputFile::write(const std::string& text) {
  if (path_ && !(stream_ << text << std::flush)) {
    throw Error(ErrorCode::kSystem, fmt::format("{} could not be written to its end", path_->string()));
  }
}

}  // namespace lockstep::cli
