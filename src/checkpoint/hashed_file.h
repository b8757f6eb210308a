#pragma once

// A new file of a checkpoint: takes bytes in pieces, and has their size and checksum when they are on the disk.
//
// Bytes go past the kernel's cache where the file system lets them: nobody reads them soon, and filling that cache costs
// the processor, which others are training with, ten times what the disk's own transfer does.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

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
  struct Freed {
    void operator()(std::byte* block) const;
  };

  void flush();
  void write_all(std::span<const std::byte> bytes);
  void go_direct(bool direct);

  DiskCalls& disk_;
  std::filesystem::path path_;
  UniqueFd file_;
  Checksum checksum_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<std::byte, Freed> block_;  // what is not written yet, aligned as the disk wants it
  std::size_t filled_ = 0;
  bool is_direct_ = false;
};

}  // namespace lockstep::checkpoint
