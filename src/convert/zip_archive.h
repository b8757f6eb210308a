#pragma once

// Reads ZIP archives, as far as torch.save writes them: entries that are stored, not compressed, and files of any size
// (ZIP64). Copies nothing, and trusts no size or offset in the archive.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::convert {

// The first bytes of an archive.
inline constexpr std::string_view kZipMagic{"PK\x03\x04", 4};

class ZipArchive {
 public:
  // Reads the list of entries. `name` is for messages; the bytes must outlive this object. Throws Error{kCorrupt} with
  // the place and what was expected.
  ZipArchive(std::string name, std::span<const std::byte> bytes);

  // In the order of the archive.
  std::vector<std::string_view> names() const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  // The contents of an entry. Throws Error{kCorrupt} if there is none of that name or its checksum does not match, and
  // Error{kUnsupported} if it is compressed or encrypted.
  std::span<const std::byte> read(std::string_view name) const;

 private:
  struct Entry {
    std::string_view name = {};
    std::uint32_t checksum = 0;
    std::span<const std::byte> content = {};
    std::string_view hindrance = {};  // why it cannot be read; empty if it can
  };

  const Entry* find(std::string_view name) const;

  std::string name_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> by_name_;  // indices of entries, sorted by name
};

}  // namespace lockstep::convert
