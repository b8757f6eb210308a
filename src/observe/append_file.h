#pragma once

// A file that only grows, by whole pieces: when append() returns, the kernel has all of them; when it throws, the file
// has none of them. A killed process loses nothing; a machine that loses power may.

#include <filesystem>
#include <string_view>

#include "base/unique_fd.h"

namespace lockstep {

class AppendFile {
 public:
  // Opens or creates the file. Throws Error{kSystem}, or Error{kResourceExhausted} if there is no space.
  explicit AppendFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  bool is_empty() const;
  // Whether the file is empty or its last byte is a newline.
  bool ends_with_whole_line() const;

  // Throws as the constructor does, with the path.
  void append(std::string_view bytes);

 private:
  std::filesystem::path path_;
  UniqueFd file_;
};

}  // namespace lockstep
