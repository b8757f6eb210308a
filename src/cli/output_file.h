#pragma once

// A file that a command writes in the end. It is opened before anything is run: minutes later would be a bad
// time to learn that it cannot be.

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace lockstep::cli {

class OutputFile {
 public:
  // Without a path there is none, and write() does nothing. Throws Error{kSystem} when it cannot be opened.
  explicit OutputFile(std::optional<std::filesystem::path> path);

  void write(const std::string& text);

 private:
  std::optional<std::filesystem::path> path_;
  std::ofstream stream_;
};

}  // namespace lockstep::cli
