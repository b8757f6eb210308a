#pragma once

// A complete checkpoint, for reading. None of it is handed out before all of it was found undamaged, and what is handed
// out was checked in memory: a disk that fails in between is an error, not other bytes.
//
//   const Checkpoint checkpoint = Checkpoint::open("runs/digits/checkpoints/step-00001234");
//   const FileBytes file = checkpoint.read("model.safetensors");
//   const Safetensors model = parse_safetensors("model.safetensors", file.bytes());

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/file_bytes.h"
#include "checkpoint/manifest.h"

namespace lockstep::checkpoint {

struct Verification {
  std::optional<Manifest> manifest = {};   // if it could be read
  std::vector<std::string> problems = {};  // all there are, a line each; empty: undamaged
  bool other_version = false;              // which is the problem: it may well be undamaged
  bool unreadable = false;                 // likewise: no file of it could be opened that would tell

  bool ok() const { return problems.empty(); }
  bool is_damaged() const { return !ok() && !other_version && !unreadable; }
};

// Reads all of a checkpoint and says everything that is wrong with it. Files that its manifest does not name are nobody's
// concern. Throws Error{kNotFound} when there is no such folder.
Verification verify(const std::filesystem::path& directory);

// The manifest of one that looks complete: every file is there and has its size. What is in them is not read. Nothing
// otherwise.
std::optional<Manifest> complete_manifest(const std::filesystem::path& directory);

class Checkpoint {
 public:
  // Verifies it. Throws Error{kCorrupt} with every problem, Error{kUnsupported} for another version of the format,
  // Error{kSystem} when the system keeps it from being read, and Error{kNotFound} when there is no such folder.
  static Checkpoint open(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const Manifest& manifest() const { return manifest_; }

  // A whole file. Throws Error{kNotFound} when the checkpoint has none of that name, Error{kCorrupt} when it has changed
  // since it was verified, Error{kResourceExhausted} when it does not fit into memory.
  FileBytes read(std::string_view name) const;

 private:
  Checkpoint(std::filesystem::path directory, Manifest manifest);

  std::filesystem::path directory_;
  Manifest manifest_;
};

}  // namespace lockstep::checkpoint
