#pragma once

// An open regular file: not a folder, a pipe or a device, whose size means nothing.

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace lockstep {

struct RegularFile {
  std::string name = {};  // its path, printable
  UniqueFd fd = {};
  std::uint64_t size = 0;  // when it was opened
};

// Opens for reading. Throws Error{kNotFound} if there is no such file, Error{kInvalidArgument} if it is not a regular
// file, and Error{kSystem} if it cannot be opened.
RegularFile open_regular_file(const std::filesystem::path& path);

}  // namespace lockstep
