#pragma once

// A checkpoint that is being written. One rank begins it and tells the others the name of its folder. All ranks add
// their files in parallel. The first rank then collects the entries of all and commits. Until then nothing exists under
// the checkpoint's name, and from then on all of it.
//
//   rank 0:  auto writer = CheckpointWriter::begin(folder, 1234);         // tells writer.name()
//   others:  auto writer = CheckpointWriter::join(folder, name);
//   all:     writer.add("rng-0.bin", bytes);                              // tell writer.files()
//   rank 0:  writer.commit({.step = 1234, .world_size = 2, .files = of all ranks});
//
// A writer may be used by any thread, but by one at a time. `disk` must outlive it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/byte_sink.h"
#include "checkpoint/disk_calls.h"
#include "checkpoint/file_image.h"
#include "checkpoint/manifest.h"

namespace lockstep::checkpoint {

class CheckpointWriter {
 public:
  // Creates a new partial folder in `store`, which must exist. Throws Error{kInvalidArgument} for a negative step, and
  // disk_error() when the folder cannot be created.
  static CheckpointWriter begin(const std::filesystem::path& store, std::int64_t step,
                                DiskCalls& disk = DiskCalls::real());
  // Joins a checkpoint that another rank has begun. Throws Error{kInvalidArgument} for a malformed name, and
  // Error{kNotFound} if it does not exist.
  static CheckpointWriter join(const std::filesystem::path& store, std::string_view name,
                               DiskCalls& disk = DiskCalls::real());

  CheckpointWriter(CheckpointWriter&& other) noexcept;
  CheckpointWriter& operator=(CheckpointWriter&&) = delete;
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();  // on the rank that began it: without commit() nothing is kept

  // The name of the partial folder, for join().
  std::string name() const { return partial_.filename().string(); }
  std::int64_t step() const { return step_; }

  // Adds a file with these bytes, with what `fill` writes, or with the contents of the image; it is on disk when this
  // returns. Throws Error{kInvalidArgument} for a name that is_file_name() refuses, disk_error(), and what `fill`
  // throws. After an error the checkpoint cannot be completed.
  const FileEntry& add(std::string_view name, std::span<const std::byte> bytes);
  const FileEntry& add(std::string_view name, const std::function<void(ByteSink&)>& fill);
  const FileEntry& add(std::string_view name, const FileImage& image);
  // The files that this rank has added.
  const std::vector<FileEntry>& files() const { return files_; }

  // Called once, on the rank that began it, when all ranks have added their files. Writes the manifest and gives the
  // checkpoint its name, replacing one of the same step. When it returns, the checkpoint survives a power failure, and
  // older ones may be removed. Returns its folder. Throws Error{kInvalidArgument} when the manifest is of another step
  // or does not list exactly the files that exist, and disk_error().
  std::filesystem::path commit(const Manifest& manifest);

 private:
  CheckpointWriter(DiskCalls& disk, std::filesystem::path partial, std::int64_t step);

  const FileEntry& write(std::string_view name, std::span<const std::byte> bytes, std::string checksum);
  void require_same_files(const Manifest& manifest) const;
  void publish(const std::filesystem::path& path);

  DiskCalls* disk_;
  std::filesystem::path partial_;
  std::int64_t step_;
  bool owns_partial_ = false;  // and removes it
  std::vector<FileEntry> files_;
};

}  // namespace lockstep::checkpoint
