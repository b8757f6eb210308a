#pragma once

// The system calls that change the disk, in one place, so that a test can make each of them fail. All return what the
// kernel's do, with errno. The real ones may be called from any thread.

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "lockstep/error.h"

namespace lockstep::checkpoint {

class DiskCalls {
 public:
  DiskCalls() = default;
  DiskCalls(const DiskCalls&) = delete;
  DiskCalls& operator=(const DiskCalls&) = delete;
  virtual ~DiskCalls() = default;

  // For writing; EEXIST if the file exists.
  virtual int create_file(const std::filesystem::path& path);
  virtual int open_directory(const std::filesystem::path& path);
  virtual int make_directory(const std::filesystem::path& path);
  virtual ssize_t write(int fd, const std::byte* bytes, std::size_t count);
  // Whether writes bypass the kernel's page cache, which requires whole blocks in aligned memory. EINVAL if the file
  // system does not support it.
  virtual int set_direct(int fd, bool direct);
  virtual int sync(int fd);
  virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to);
  // Exchanges the two names atomically. EINVAL if the file system does not support it.
  virtual int exchange(const std::filesystem::path& one, const std::filesystem::path& other);
  // With its contents. No error if it does not exist.
  virtual std::error_code remove_tree(const std::filesystem::path& path);

  static DiskCalls& real();
};

// kResourceExhausted when the disk or a quota is full, otherwise kSystem: "cannot write runs/a: No space left".
Error disk_error(int error_number, std::string_view action, const std::filesystem::path& path);

// Syncs the entries of the folder to disk. Throws disk_error().
void sync_directory(DiskCalls& disk, const std::filesystem::path& path);

}  // namespace lockstep::checkpoint
