#pragma once

// Writes a new file to disk.
//
// Bypasses the kernel's page cache where the file system supports it: the file will not be read soon, and filling that
// cache costs ten times as much processor time, which training needs, as the disk's own transfer.

#include <cstddef>
#include <filesystem>
#include <span>

#include "checkpoint/disk_calls.h"

namespace lockstep::checkpoint {

// The bytes are on disk when it returns; the caller must sync the folder's entry. Throws disk_error(), also if the file
// exists.
void write_new_file(DiskCalls& disk, const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace lockstep::checkpoint
