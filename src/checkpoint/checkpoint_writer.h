#pragma once

// A checkpoint that is being written. One rank begins it and tells the others the name of its folder; every rank adds its
// own files, at the same time; the one that began it gets to know the entries of all and commits. Until then nothing is
// under the checkpoint's name, and from then on all of it.
//
//   rank 0:  auto writer = CheckpointWriter::begin(folder, 1234);         // tells writer.name()
//   others:  auto writer = CheckpointWriter::join(folder, name);
//   all:     writer.add("rng-0.bin", bytes);                              // tell writer.files()
//   rank 0:  writer.commit({.step = 1234, .world_size = 2, .files = of all ranks});
//
// One thread at a time uses a writer; which one does not matter. `disk` has to outlive it.

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
  // Makes a new partial folder in `store`, which has to be there. Throws Error{kInvalidArgument} for a negative step,
  // disk_error() when it cannot be made.
  static CheckpointWriter begin(const std::filesystem::path& store, std::int64_t step,
                                DiskCalls& disk = DiskCalls::real());
  // Takes part in one that another rank has begun. Throws Error{kInvalidArgument} for what is no name of one,
  // Error{kNotFound} when it is not there.
  static CheckpointWriter join(const std::filesystem::path& store, std::string_view name,
                               DiskCalls& disk = DiskCalls::real());

  CheckpointWriter(CheckpointWriter&& other) noexcept;
  CheckpointWriter& operator=(CheckpointWriter&&) = delete;
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();  // of the rank that began it: without commit() nothing stays

  // Of the partial folder, for join().
  std::string name() const { return partial_.filename().string(); }
  std::int64_t step() const { return step_; }

  // A file with these bytes, with what `fill` writes, or as the image has it; on the disk when it returns. Throws Error{kInvalidArgument} for
  // a name that is_file_name() refuses, disk_error(), and what `fill` throws. After an error the checkpoint cannot be
  // completed.
  const FileEntry& add(std::string_view name, std::span<const std::byte> bytes);
  const FileEntry& add(std::string_view name, const std::function<void(ByteSink&)>& fill);
  const FileEntry& add(std::string_view name, const FileImage& image);
  // Those that this rank has added.
  const std::vector<FileEntry>& files() const { return files_; }

  // Once, on the rank that began it, when all ranks have added theirs. The manifest is written, and the checkpoint gets
  // its name, in the place of one of the same step if there is one. When it returns it will survive a loss of power, and
  // older ones may go. Returns its folder. Throws Error{kInvalidArgument} when the manifest is of another step or does
  // not name exactly the files that are there, and disk_error().
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
