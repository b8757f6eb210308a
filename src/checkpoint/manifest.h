#pragma once

// The list of a checkpoint's contents: the file that is written last, and that all others are checked against. It has
// its own checksum; docs/checkpoint_format.md describes it line by line.

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
  std::string checksum = {};  // in the form of checksum.h

  bool operator==(const FileEntry&) const = default;
};

struct Manifest {
  std::int64_t step = 0;              // completed optimizer steps
  int world_size = 1;                 // ranks that wrote it
  std::optional<double> metric = {};  // selects the best checkpoint, if there was one
  std::vector<FileEntry> files = {};  // in ascending order of names

  bool operator==(const Manifest&) const = default;

  // Null if there is none of that name.
  const FileEntry* find(std::string_view name) const;
};

// Letters, digits, '.', '_' and '-', not starting with '.', at most 255 characters, and not the manifest itself: a name
// that cannot leave its folder, on any system.
bool is_file_name(std::string_view name);

// Sorts the files. Omits a metric that is not finite. Throws Error{kInvalidArgument} for a manifest that could not be
// read again.
std::string manifest_text(Manifest manifest);

// Throws Error{kCorrupt}, or Error{kUnsupported} for another version, with `name`.
Manifest parse_manifest(std::string_view name, std::string_view text);

}  // namespace lockstep::checkpoint
