#pragma once

// Bytes for the tests of readers: from hexadecimal, as streams, and what errors say about them.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_stream.h"
#include "lockstep/error.h"

namespace lockstep {

// "00 ff 61" or "00ff61".
inline std::string from_hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ') {
      digits += c;
    }
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// `bytes` has to stay.
inline std::unique_ptr<ByteStream> stream_of(const std::string& bytes, const std::string& name = "file") {
  return open_stream(memory_source(name, std::as_bytes(std::span(bytes))));
}

inline void expect_error(const std::function<void()>& action, ErrorCode code, const std::string& message) {
  try {
    action();
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(error.message(), message);
  }
}

// Cut anywhere, or with anything behind it, a file must be refused, and never anything but an Error may come of it.
inline void expect_whole_only(const std::string& bytes, const std::function<void(ByteStream&)>& read) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_THROW(read(*stream_of(cut)), Error) << "cut to " << size << " of " << bytes.size() << " bytes";
  }
  const std::string longer = bytes + "x";
  EXPECT_THROW(read(*stream_of(longer)), Error) << "one byte too long";
  EXPECT_NO_THROW(read(*stream_of(bytes)));
}

// Each byte changed in two ways: it may still be a file of its kind, but there is nothing between that and an Error.
inline void expect_survives_changes(const std::string& bytes, const std::function<void(ByteStream&)>& read) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        read(*stream_of(changed));
      } catch (const Error& error) {
        EXPECT_NE(std::string_view(error.message()).find("file"), std::string_view::npos) << error.message();
      }
    }
  }
}

}  // namespace lockstep
