#include "checkpoint/checkpoint_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/checksum.h"
#include "checkpoint/new_file.h"
#include "config/printable.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

// The sizes of all files in the folder, by name.
std::map<std::string, std::uint64_t> sizes_in(const fs::path& folder) {
  std::map<std::string, std::uint64_t> sizes;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem)) {
    sizes[entry->path().filename().string()] = entry->file_size(problem);
  }
  if (problem) {
    throw disk_error(problem.value(), "cannot read", folder);
  }
  return sizes;
}

struct Replacement {
  const fs::path& current;
  const fs::path& old;   // where the current one goes
  const fs::path& next;  // where its replacement comes from
};

void replace_in_two_steps(DiskCalls& disk, const Replacement& names) {
  if (disk.rename(names.current, names.old) != 0) {
    throw disk_error(errno, "cannot replace", names.current);
  }
  if (disk.rename(names.next, names.current) != 0) {
    const int first_error = errno;
    disk.rename(names.old, names.current);  // if that fails too, the first error is still the one to report
    throw disk_error(first_error, "cannot replace", names.current);
  }
}

}  // namespace

CheckpointWriter::CheckpointWriter(DiskCalls& disk, fs::path partial, std::int64_t step)
    : disk_(&disk), partial_(std::move(partial)), step_(step) {}

CheckpointWriter::CheckpointWriter(CheckpointWriter&& other) noexcept
    : disk_(other.disk_),
      partial_(std::move(other.partial_)),
      step_(other.step_),
      owns_partial_(std::exchange(other.owns_partial_, false)),
      files_(std::move(other.files_)) {}

CheckpointWriter CheckpointWriter::begin(const fs::path& store, std::int64_t step, DiskCalls& disk) {
  if (step < 0) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("there is no checkpoint of step {}", step));
  }
  CheckpointWriter writer(disk, store / partial_name(step), step);
  if (disk.make_directory(writer.partial_) != 0) {
    throw disk_error(errno, "cannot create", writer.partial_);
  }
  writer.owns_partial_ = true;
  return writer;
}

CheckpointWriter CheckpointWriter::join(const fs::path& store, std::string_view name, DiskCalls& disk) {
  const auto step = step_of_partial(name);
  if (!step) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is no name of a checkpoint that is being written", config::in_quotes(name)));
  }
  CheckpointWriter writer(disk, store / name, *step);
  std::error_code problem;
  if (!fs::is_directory(writer.partial_, problem)) {
    throw Error(ErrorCode::kNotFound,
                config::printable(writer.partial_.string()) + ": no checkpoint is being written there");
  }
  return writer;
}

CheckpointWriter::~CheckpointWriter() {
  if (owns_partial_) {
    disk_->remove_tree(partial_);  // leftovers are swept at the next start
  }
}

const FileEntry& CheckpointWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  return write(name, bytes, checksum_text(bytes));
}

const FileEntry& CheckpointWriter::add(std::string_view name, const std::function<void(ByteSink&)>& fill) {
  FileImage image;
  fill(image);
  return add(name, image);
}

const FileEntry& CheckpointWriter::add(std::string_view name, const FileImage& image) {
  return write(name, image.bytes(), image.checksum());
}

const FileEntry& CheckpointWriter::write(std::string_view name, std::span<const std::byte> bytes,
                                         std::string checksum) {
  if (!is_file_name(name)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is no name for a file of a checkpoint", config::in_quotes(name)));
  }
  write_new_file(*disk_, partial_ / name, bytes);
  return files_.emplace_back(
      FileEntry{.name = std::string(name), .bytes = bytes.size(), .checksum = std::move(checksum)});
}

void CheckpointWriter::require_same_files(const Manifest& manifest) const {
  auto sizes = sizes_in(partial_);
  for (const FileEntry& file : manifest.files) {
    const auto found = sizes.find(file.name);
    if (found == sizes.end() || found->second != file.bytes) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "the manifest names {} with {} bytes; {} in {}", config::in_quotes(file.name), file.bytes,
              found == sizes.end() ? "there is none" : fmt::format("there is one with {}", found->second),
              config::printable(partial_.string())));
    }
    sizes.erase(found);
  }
  if (!sizes.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the manifest does not name {}, which is in {}",
                            config::in_quotes(sizes.begin()->first), config::printable(partial_.string())));
  }
}

fs::path CheckpointWriter::commit(const Manifest& manifest) {
  LOCKSTEP_CHECK(owns_partial_);
  if (manifest.step != step_) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a checkpoint of step {} was begun; the manifest is that of step {}", step_,
                            manifest.step));
  }
  const std::string text = manifest_text(manifest);
  require_same_files(manifest);
  write_new_file(*disk_, partial_ / kManifestName, std::as_bytes(std::span(text)));
  sync_directory(*disk_, partial_);
  fs::path path = partial_.parent_path() / checkpoint_name(step_);
  publish(path);
  return path;
}

// The step may exist already: it was damaged and has been trained again, or the run was rewound. The old one is
// replaced atomically, so that a kill never leaves neither. Some network file systems cannot do that: there the old one
// moves away first.
void CheckpointWriter::publish(const fs::path& path) {
  fs::path replaced;
  std::error_code problem;
  if (!fs::exists(fs::symlink_status(path, problem))) {
    if (disk_->rename(partial_, path) != 0) {
      throw disk_error(errno, "cannot rename to", path);
    }
  } else if (disk_->exchange(partial_, path) == 0) {
    replaced = partial_;
  } else if (errno != EINVAL && errno != ENOSYS) {
    throw disk_error(errno, "cannot replace", path);
  } else {
    replaced = path.parent_path() / partial_name(step_);
    replace_in_two_steps(*disk_, {.current = path, .old = replaced, .next = partial_});
  }
  owns_partial_ = false;
  sync_directory(*disk_, path.parent_path());
  if (!replaced.empty()) {
    if (const std::error_code left = disk_->remove_tree(replaced)) {
      LOCKSTEP_LOG(kWarning) << "cannot remove " << config::printable(replaced.string()) << ": "
                             << left.message() << "; it is swept at the next start";
    }
  }
}

}  // namespace lockstep::checkpoint
