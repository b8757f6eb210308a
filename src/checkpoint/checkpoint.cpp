#include "checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "checkpoint/checkpoint_name.h"
#include "checkpoint/checksum.h"
#include "config/printable.h"
#include "data/byte_source.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

void require_size(const ByteSource& source, const FileEntry& expected) {
  if (source.size() != expected.bytes) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected {} bytes, found {}", source.name(), expected.bytes, source.size()));
  }
}

void require_equal_checksum(const ByteSource& source, const FileEntry& expected, const std::string& found) {
  if (found != expected.checksum) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: expected the checksum {}, found {}", source.name(),
                                                 expected.checksum, found));
  }
}

// Piece by piece: memory need not hold the state of a model twice.
std::string checksum_of(const ByteSource& source, std::uint64_t bytes) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  std::vector<std::byte> piece(std::min<std::uint64_t>(kPieceBytes, bytes));
  Checksum checksum;
  std::uint64_t offset = 0;
  while (offset < bytes) {
    const std::size_t count = source.read_at(offset, piece);
    if (count == 0) {
      break;  // the file became shorter, which the checksum will reveal
    }
    checksum.add(std::span(piece).first(count));
    offset += count;
  }
  return checksum.text();
}

// A file that can be opened but not read has a bad sector, and counts as damaged.
void verify_file(const fs::path& path, const FileEntry& expected) {
  const auto source = open_file(path);
  require_size(*source, expected);
  std::string found;
  try {
    found = checksum_of(*source, expected.bytes);
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt, error.message());
  }
  require_equal_checksum(*source, expected, found);
}

Manifest read_manifest(const fs::path& directory) {
  const auto source = open_file(directory / kManifestName);
  // One byte beyond the limit is enough to be refused.
  std::string text(std::min<std::uint64_t>(source->size(), kMostManifestBytes + 1), '\0');
  text.resize(source->read_at(0, std::as_writable_bytes(std::span(text))));
  return parse_manifest(source->name(), text);
}

void require_named_by_step(const fs::path& directory, const Manifest& manifest) {
  const auto step = step_of(directory.filename().string());
  if (step && *step != manifest.step) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: its manifest is that of step {}",
                                                 config::printable(directory.string()), manifest.step));
  }
}

// Whether the error means damage of a checkpoint, as opposed to something that prevented reading it: missing
// permissions, no descriptors.
bool is_damage(ErrorCode code) {
  return code != ErrorCode::kSystem && code != ErrorCode::kResourceExhausted &&
         code != ErrorCode::kUnsupported;
}

// Records the error of `action` as a problem, so that checking can continue.
template <class Action>
void collect_problem(Verification& result, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    result.other_version = error.code() == ErrorCode::kUnsupported;
    // One damaged file is enough, whatever else could not be read.
    const bool was_damaged = result.is_damaged();
    result.unreadable = !was_damaged && !result.other_version && !is_damage(error.code());
    result.problems.push_back(error.message());
  }
}

// "runs/a/" and "runs/a" are the same folder, and its name is "a".
fs::path without_end_slash(const fs::path& path) {
  return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

}  // namespace

Verification verify(const fs::path& directory) {
  std::error_code problem;
  if (!fs::is_directory(directory, problem)) {
    throw Error(ErrorCode::kNotFound, config::printable(directory.string()) + ": no such checkpoint");
  }
  const fs::path folder = without_end_slash(directory);
  Verification result;
  collect_problem(result, [&] { result.manifest = read_manifest(folder); });
  if (!result.manifest) {
    return result;
  }
  collect_problem(result, [&] { require_named_by_step(folder, *result.manifest); });
  for (const FileEntry& file : result.manifest->files) {
    collect_problem(result, [&] { verify_file(folder / file.name, file); });
  }
  return result;
}

std::optional<Manifest> complete_manifest(const fs::path& directory) {
  try {
    Manifest manifest = read_manifest(directory);
    require_named_by_step(directory, manifest);
    for (const FileEntry& file : manifest.files) {
      require_size(*open_file(directory / file.name), file);
    }
    return manifest;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Checkpoint::Checkpoint(fs::path directory, Manifest manifest)
    : directory_(std::move(directory)), manifest_(std::move(manifest)) {}

Checkpoint Checkpoint::open(const fs::path& directory) {
  Verification found = verify(directory);
  if (!found.ok() || !found.manifest) {
    throw Error(found.other_version ? ErrorCode::kUnsupported
                : found.unreadable  ? ErrorCode::kSystem
                                    : ErrorCode::kCorrupt,
                fmt::format("the checkpoint {} cannot be used: {}", config::printable(directory.string()),
                            fmt::join(found.problems, "; ")));
  }
  return {directory, std::move(*found.manifest)};
}

FileBytes Checkpoint::read(std::string_view name) const {
  const FileEntry* file = manifest_.find(name);
  if (file == nullptr) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("the checkpoint {} has no {}", config::printable(directory_.string()),
                            config::in_quotes(name)));
  }
  const auto source = open_file(directory_ / file->name);
  require_size(*source, *file);
  FileBytes content = memory_for(source->name(), file->bytes);
  const std::size_t count = source->read_at(0, content.bytes());
  require_equal_checksum(*source, *file, checksum_text(content.bytes().first(count)));
  return content;
}

}  // namespace lockstep::checkpoint
