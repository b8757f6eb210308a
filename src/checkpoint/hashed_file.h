#pragma once

// A new file of a checkpoint: takes bytes in pieces, and has their size and checksum when they are on the disk.

#include <cstdint>
#include <filesystem>

#include "base/unique_fd.h"
#include "checkpoint/byte_sink.h"
#include "checkpoint/checksum.h"
#include "checkpoint/disk_calls.h"
#include "checkpoint/manifest.h"

namespace lockstep::checkpoint {

class HashedFile final : public ByteSink {
 public:
  // `disk` has to stay. Throws disk_error(), also when there is such a file.
  HashedFile(DiskCalls& disk, std::filesystem::path path);

  void write(std::span<const std::byte> bytes) override;
  // Once, after the last write. The bytes are on the disk when it returns; that the folder knows the file's name is the
  // caller's to see to.
  FileEntry finish();

 private:
  void write_piece(std::span<const std::byte> bytes);

  DiskCalls& disk_;
  std::filesystem::path path_;
  UniqueFd file_;
  Checksum checksum_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lockstep::checkpoint
