#pragma once

// A stream of bytes from a file, unpacked if necessary. All readers of formats use it, so that no length that a file
// claims is trusted before it is compared with what the file can hold, and every error names the file and the place.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"
#include "lockstep/error.h"

namespace lockstep {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // How many bytes were read.
  std::uint64_t offset() const { return offset_; }

  // Fills `into`; reads fewer bytes only at the end.
  std::size_t read(std::span<std::byte> into);
  // Fills `into` or throws: `what` names the missing part.
  void read_exactly(std::span<std::byte> into, std::string_view what);
  // Reads that many bytes of data. Memory grows with the data that is actually there.
  std::vector<std::byte> read_payload(std::uint64_t bytes);
  // Throws if anything follows.
  void expect_end();

  // Error{kCorrupt} with the name of the file and a place in its data.
  Error corrupt(std::uint64_t offset, std::string_view message) const;
  // The same with Error{kUnsupported}, for data that is well-formed but not supported.
  Error unsupported(std::uint64_t offset, std::string_view message) const;

 protected:
  virtual std::size_t read_some(std::span<std::byte> into) = 0;
  // An upper bound for the bytes that follow; is_exact() says whether it is exact.
  virtual std::uint64_t most_remaining() const = 0;
  virtual bool is_exact() const = 0;
  // "x.npy: byte 12".
  virtual std::string place(std::uint64_t offset) const = 0;

 private:
  std::uint64_t offset_ = 0;
};

// Unpacks data that begins like gzip, and reads anything else unchanged.
std::unique_ptr<ByteStream> open_stream(std::unique_ptr<ByteSource> source);

}  // namespace lockstep
