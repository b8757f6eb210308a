#pragma once

// The file in which a worker may record the reason of its failure. It is next to the worker's logs; without a log
// folder it is memory that has a path only through /proc, so that nothing is left behind.

#include <filesystem>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "job/error_record.h"

namespace lockstep::run {

class ErrorBox {
 public:
  // `file` may be empty. Throws Error{kSystem}.
  explicit ErrorBox(const std::filesystem::path& file);

  // For the worker's environment.
  const std::string& path() const { return path_; }
  bool is_file() const { return !memory_; }

  bool is_empty() const;
  std::optional<ErrorRecord> read() const;

 private:
  UniqueFd memory_;
  std::string path_;
};

}  // namespace lockstep::run
