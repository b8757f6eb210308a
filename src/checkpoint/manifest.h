#pragma once

// What is in a checkpoint: the file that is written last, and that all others are checked against. It carries a checksum
// of its own; docs/checkpoint_format.md has it line by line.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::checkpoint {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::size_t kMostManifestBytes = std::size_t{16} << 20;

struct FileEntry {
  std::string name = {};
  std::uint64_t bytes = 0;
  std::string checksum = {};  // as checksum.h writes it

  bool operator==(const FileEntry&) const = default;
};

struct Manifest {
  std::int64_t step = 0;              // optimizer steps that were done
  int world_size = 1;                 // ranks that wrote it
  std::optional<double> metric = {};  // what the best checkpoint is found by, if there was one
  std::vector<FileEntry> files = {};  // in the order of names

  bool operator==(const Manifest&) const = default;

  // Null when there is none of that name.
  const FileEntry* find(std::string_view name) const;
};

// Letters, digits, '.', '_' and '-', not '.' at the front, at most 255 of them, and not the manifest itself: a name that
// leads nowhere but into its folder, on every system.
bool is_file_name(std::string_view name);

// Sorts the files. A metric that is no finite number is left out. Throws Error{kInvalidArgument} for a manifest that
// could not be read again.
std::string manifest_text(Manifest manifest);

// Throws Error{kCorrupt}, or Error{kUnsupported} for another version, with `name`.
Manifest parse_manifest(std::string_view name, std::string_view text);

}  // namespace lockstep::checkpoint
