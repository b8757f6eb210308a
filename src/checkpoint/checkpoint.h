#pragma once

// A complete checkpoint, for reading. Nothing is returned before all of it was verified, and each file is checked again
// in memory: a disk that fails in between causes an error, not wrong bytes.
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
  std::vector<std::string> problems = {};  // all of them, one line each; empty if undamaged
  bool other_version = false;              // the problem is its version: it may well be undamaged
  bool unreadable = false;                 // the problem is that files could not be opened: likewise

  bool ok() const { return problems.empty(); }
  bool is_damaged() const { return !ok() && !other_version && !unreadable; }
};

// Reads all of a checkpoint and reports everything that is wrong with it. Ignores files that its manifest does not
// list. Throws Error{kNotFound} if there is no such folder.
Verification verify(const std::filesystem::path& directory);

// The manifest of a checkpoint that looks complete: every file exists and has its size. Does not read their contents.
// Nothing otherwise.
std::optional<Manifest> complete_manifest(const std::filesystem::path& directory);

class Checkpoint {
 public:
  // Verifies the checkpoint. Throws Error{kCorrupt} with every problem, Error{kUnsupported} for another version of the
  // format, Error{kSystem} when the system prevents reading it, and Error{kNotFound} if there is no such folder.
  static Checkpoint open(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const Manifest& manifest() const { return manifest_; }

  // Reads a whole file. Throws Error{kNotFound} if the checkpoint has none of that name, Error{kCorrupt} if it has
  // changed since it was verified, and Error{kResourceExhausted} if it does not fit into memory.
  FileBytes read(std::string_view name) const;

 private:
  Checkpoint(std::filesystem::path directory, Manifest manifest);

  std::filesystem::path directory_;
  Manifest manifest_;
};

}  // namespace lockstep::checkpoint
