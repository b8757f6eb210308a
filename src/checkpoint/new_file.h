#pragma once

// Brings the bytes of a new file to the disk.
//
// They go past the kernel's cache where the file system lets them: nobody reads them soon, and filling that cache costs
// the processor, which others are training with, ten times what the disk's own transfer does.

#include <cstddef>
#include <filesystem>
#include <span>

#include "checkpoint/disk_calls.h"

namespace lockstep::checkpoint {

// The bytes are on the disk when it returns; that the folder knows the file's name is the caller's to see to. Throws
// disk_error(), also when there is such a file.
void write_new_file(DiskCalls& disk, const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace lockstep::checkpoint
