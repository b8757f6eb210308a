#pragma once

// The bytes of a file, in memory: what a checkpoint takes of tensors that go on changing, in the form in which it reaches
// the disk. They are hashed on the way in, while they are in the processor's cache, and lie as the disk wants them, so
// that nobody has to touch them again. The memory of an image is used again by the next one: fresh memory costs more than
// the copying.

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

  // Throws Error{kResourceExhausted} when memory is at its end.
  void write(std::span<const std::byte> bytes) override;
  // Begins anew.
  void clear();

  // Aligned to a page. Valid until the next write() or the end of the image.
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
