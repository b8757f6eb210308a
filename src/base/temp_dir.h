#pragma once

// A fresh directory that is removed, with its contents, when this object is destroyed. For tests.

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file into it and returns the file's path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep
