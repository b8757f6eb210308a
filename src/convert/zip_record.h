#pragma once

// The records of a ZIP archive, as far as both its reader and its writer need them: the mark of each, its length
// without names, and the few values that have a meaning.

#include <cstddef>
#include <cstdint>

namespace lockstep::convert {

// Before the content of each entry.
inline constexpr std::uint32_t kLocalMark = 0x04034b50;
inline constexpr std::size_t kLocalBytes = 30;

// In the list of all entries, the central directory.
inline constexpr std::uint32_t kCentralMark = 0x02014b50;
inline constexpr std::size_t kCentralBytes = 46;

// After the directory: its place. The two ZIP64 records exist if a number does not fit into the last one.
inline constexpr std::uint32_t kEnd64Mark = 0x06064b50;
inline constexpr std::size_t kEnd64Bytes = 56;
inline constexpr std::uint32_t kLocator64Mark = 0x07064b50;
inline constexpr std::size_t kLocator64Bytes = 20;
inline constexpr std::uint32_t kEndMark = 0x06054b50;
inline constexpr std::size_t kEndBytes = 22;

// Mark numbers that are stored in the ZIP64 extra field instead.
inline constexpr std::uint32_t kElsewhere32 = 0xffffffff;
inline constexpr std::uint16_t kElsewhere16 = 0xffff;
inline constexpr std::uint16_t kExtra64 = 1;

inline constexpr std::uint16_t kStored = 0;

}  // namespace lockstep::convert
