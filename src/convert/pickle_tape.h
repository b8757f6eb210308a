#pragma once

// Reads the bytes of a pickle from the front; errors say where.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "convert/pickle_opcode.h"
#include "lockstep/error.h"

namespace lockstep::convert {

class PickleTape {
 public:
  // `name` is for messages.
  PickleTape(std::string name, std::span<const std::byte> bytes);

  // The next instruction. Everything read until the next call is its arguments; all reads throw Error{kCorrupt} at the
  // end.
  Opcode next();

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  double big_endian_double();
  // Two's complement, preceded by its length.
  std::int64_t long_integer();
  std::string_view text(std::size_t count);
  // Without its line end.
  std::string_view line();

  // With the place of the instruction.
  Error corrupt(std::string_view what) const { return error(ErrorCode::kCorrupt, what); }
  Error refusal(std::string_view what) const { return error(ErrorCode::kUnsupported, what); }
  Error exhausted(std::string_view what) const { return error(ErrorCode::kResourceExhausted, what); }

 private:
  Error error(ErrorCode code, std::string_view what) const;
  std::span<const std::byte> take(std::size_t count);

  std::string name_;
  std::span<const std::byte> rest_;
  std::size_t size_;
  std::size_t instruction_ = 0;  // where it is
};

}  // namespace lockstep::convert
