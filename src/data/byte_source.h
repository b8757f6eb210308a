#pragma once

// Bytes with a known size and a name for messages: a file, or memory. Does not interpret them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace lockstep {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Printable.
  const std::string& name() const { return name_; }
  virtual std::uint64_t size() const = 0;
  // Fills `into` from `offset` on; reads fewer bytes only at the end.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;

 private:
  std::string name_;
};

// Throws as open_regular_file() does.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path);

// The memory must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::byte> bytes);

}  // namespace lockstep
