#pragma once

// A file that appears under its name complete, or not at all: it is written under a temporary name next to it, synced
// to disk and renamed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/unique_fd.h"

namespace lockstep {

class NewFile {
 public:
  // Throws Error{kSystem} when it cannot be created.
  explicit NewFile(std::filesystem::path path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();  // removes the file if it was not committed

  const std::filesystem::path& path() const { return path_; }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // Called once, after the last write. The name and the bytes are on disk when it returns.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  UniqueFd file_;
};

// Syncs the entry of `path` in its folder to disk. Throws Error{kSystem}.
void sync_parent(const std::filesystem::path& path);

}  // namespace lockstep
