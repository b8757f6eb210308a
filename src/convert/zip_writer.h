#pragma once

// Writes ZIP archives: stored entries, each with its content at a multiple of 64 bytes as in torch.save, so that a
// reader can map tensors into memory. The same entries always give the same bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/byte_sink.h"
#include "convert/zip_record.h"

namespace lockstep::convert {

class ZipWriter {
 public:
  // `sink` must outlive this object. Sizes and offsets from `large` on are written in ZIP64; tests use a lower limit.
  explicit ZipWriter(checkpoint::ByteSink& sink, std::uint64_t large = kElsewhere32)
      : sink_(sink), large_(large) {}

  // Names are not checked; each may be used once.
  void add(std::string_view name, std::span<const std::byte> content);
  // Called once, after the last entry.
  void finish();

 private:
  struct Entry {
    std::string name = {};
    std::uint32_t checksum = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;
  };

  void write(std::span<const std::byte> bytes);
  void write(const std::string& record);
  std::string central_record(const Entry& entry) const;
  std::uint32_t number_or_elsewhere(std::uint64_t number) const;

  checkpoint::ByteSink& sink_;
  std::uint64_t large_;
  std::uint64_t offset_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace lockstep::convert
