#pragma once

// Bytes in their order, from a file as it is or unpacked on the way. Readers of formats take everything through
// this, so that no length that a file claims is believed before it was held against what the file can hold, and every
// complaint names the file and the place.

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

  // Fills `into`; fewer bytes only at the end.
  std::size_t read(std::span<std::byte> into);
  // Fills `into` or throws: `what` is what should have been there.
  void read_exactly(std::span<std::byte> into, std::string_view what);
  // That many bytes of data. Memory grows with what is really there.
  std::vector<std::byte> read_payload(std::uint64_t bytes);
  // Throws when something follows.
  void expect_end();

  // Error{kCorrupt} with the name of the file and a place in its data.
  Error corrupt(std::uint64_t offset, std::string_view message) const;
  // Error{kUnsupported} likewise, for what is well-formed and not for us.
  Error unsupported(std::uint64_t offset, std::string_view message) const;

 protected:
  virtual std::size_t read_some(std::span<std::byte> into) = 0;
  // No more bytes than these can follow. Exact or not, see is_exact().
  virtual std::uint64_t most_remaining() const = 0;
  virtual bool is_exact() const = 0;
  // "x.npy: byte 12".
  virtual std::string place(std::uint64_t offset) const = 0;

 private:
  std::uint64_t offset_ = 0;
};

// Unpacks what begins like gzip, and takes anything else as it is.
std::unique_ptr<ByteStream> open_stream(std::unique_ptr<ByteSource> source);

}  // namespace lockstep
