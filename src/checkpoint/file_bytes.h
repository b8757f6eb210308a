#pragma once

// A whole file in memory.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace lockstep::checkpoint {

class FileBytes {
 public:
  explicit FileBytes(std::size_t size)
      : memory_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }
  std::span<std::byte> bytes() { return {memory_.get(), size_}; }
  // For text files.
  std::string_view text() const { return {reinterpret_cast<const char*>(memory_.get()), size_}; }

 private:
  std::unique_ptr<std::byte[]> memory_;  // NOLINT(*-avoid-c-arrays): a vector would fill it with zeros first
  std::size_t size_;
};

// Memory for a file of `size` bytes. Throws Error{kResourceExhausted} with `name` if there is not enough.
FileBytes memory_for(std::string_view name, std::uint64_t size);

// Throws as open_file() does, Error{kResourceExhausted} if the file does not fit into memory, and Error{kCorrupt} if it
// becomes shorter meanwhile.
FileBytes read_file(const std::filesystem::path& path);

}  // namespace lockstep::checkpoint
