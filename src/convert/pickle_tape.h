#pragma once

// The bytes of a pickle, taken from the front, and errors that say where.

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

  // The next instruction. Its arguments are what is taken until the next call; all throw Error{kCorrupt} at the end.
  Opcode next();

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  double big_endian_double();
  // Two's complement, with its length in front.
  std::int64_t long_integer();
  std::string_view text(std::size_t count);
  // Without its end.
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
