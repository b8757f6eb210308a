#pragma once

// The bytes of a file, in memory: a checkpoint's copy of tensors that keep changing, in the form written to disk. They
// are hashed while they are in the processor's cache, and aligned for the disk, so that nothing has to touch them
// again. The next image reuses the memory: fresh memory costs more than the copying.

#include <cstddef>
#include <span>
#include <string>

#include "checkpoint/byte_sink.h"
#include "checkpoint/checksum.h"

namespace lockstep::checkpoint {

class FileImage final : public ByteSink {
 public:
  FileImage() = default;
  ~FileImage() override;

  // Throws Error{kResourceExhausted} when memory runs out.
  void write(std::span<const std::byte> bytes) override;
  // Empties the image.
  void clear();

  // Page-aligned. Valid until the next write() or the destruction of the image.
  std::span<const std::byte> bytes() const { return {memory_, size_}; }
  std::string checksum() const { return checksum_.text(); }

 private:
  void make_room(std::size_t bytes);

  std::byte* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  Checksum checksum_;
};

}  // namespace lockstep::checkpoint
