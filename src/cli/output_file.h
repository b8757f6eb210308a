#pragma once

// A file that a command writes at its end. It is opened before anything runs, so that a failure to open it shows at
// once and not minutes later.

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace lockstep::cli {

class OutputFile {
 public:
  // Without a path, write() does nothing. Throws Error{kSystem} when the file cannot be opened.
  explicit OutputFile(std::optional<std::filesystem::path> path);

  void write(const std::string& text);

 private:
  std::optional<std::filesystem::path> path_;
  std::ofstream stream_;
};

}  // namespace lockstep::cli
