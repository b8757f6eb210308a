#pragma once

// A file that only grows, by whole pieces: what append() was given is in the kernel's hands when it returns, and nothing
// of it is in the file when it throws. A process that is killed loses nothing; a machine that loses its power may.

#include <filesystem>
#include <string_view>

#include "base/unique_fd.h"

namespace lockstep {

class AppendFile {
 public:
  // Opens the file, or makes it. Throws Error{kSystem}, or Error{kResourceExhausted} when there is no room.
  explicit AppendFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  bool is_empty() const;
  // Whether the last byte is a line's end, or there is none.
  bool ends_with_whole_line() const;

  // Throws as the constructor does, with the path.
  void append(std::string_view bytes);

 private:
  std::filesystem::path path_;
  UniqueFd file_;
};

}  // namespace lockstep
