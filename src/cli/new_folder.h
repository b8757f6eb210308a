#pragma once

// A folder that appears under its name complete, or not at all. It is filled under a temporary name next to its own and
// then renamed, so a command that fails leaves nothing that could be mistaken for a result.

#include <filesystem>
#include <string_view>

namespace lockstep::cli {

class NewFolder {
 public:
  // Throws Error{kInvalidArgument} with `advice` when `path` exists, unless it is an empty folder, and Error{kSystem}
  // when the folder cannot be created.
  NewFolder(const std::filesystem::path& path, std::string_view advice);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder();  // removes everything unless it was committed

  const std::filesystem::path& path() const { return path_; }
  // The folder to write to before commit().
  const std::filesystem::path& draft() const { return draft_; }
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path draft_;
  bool committed_ = false;
};

}  // namespace lockstep::cli
