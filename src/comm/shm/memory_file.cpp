#include "comm/shm/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "comm/shm/huge_pages.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

using FileId = std::pair<dev_t, ino_t>;

FileId require_sealed(int fd, std::size_t bytes) {
  const int seals = fcntl(fd, F_GET_SEALS);
  struct stat status {};
  if (seals < 0 || fstat(fd, &status) != 0) {
    throw Error::from_errno(errno, "looking at a memory file of another rank");
  }
  if ((seals & kSizeSeals) != kSizeSeals || static_cast<std::size_t>(status.st_size) != bytes) {
    throw Error(
        ErrorCode::kCorrupt,
        fmt::format(
            "another rank sent a memory file of {} bytes with seals {:#x}; expected {} bytes and {:#x}",
            status.st_size, seals, bytes, kSizeSeals));
  }
  return {status.st_dev, status.st_ino};
}

std::byte* require_mapped(void* address, std::size_t bytes) {
  if (address == MAP_FAILED) {
    const int error_number = errno;
    throw Error(error_number == ENOMEM ? ErrorCode::kResourceExhausted : ErrorCode::kSystem,
                fmt::format("cannot map {} bytes of shared memory", bytes))
        .with_cause(std::make_exception_ptr(Error::from_errno(error_number, "mmap")));
  }
  return static_cast<std::byte*>(address);
}

// Pages can be huge only in a mapping that begins with a huge page, as the file does: a large one gets its place within
// addresses that are reserved for it and given back with it.
std::shared_ptr<std::byte> map_anew(int fd, std::size_t bytes, Populate populate, Access access) {
  const int protection = PROT_READ | (access == Access::kWrite ? PROT_WRITE : 0);
  const int flags = MAP_SHARED | MAP_FIXED | (populate == Populate::kNow ? MAP_POPULATE : 0);
  const std::size_t reserved = bytes < kHugePageBytes ? bytes : bytes + kHugePageBytes;
  const std::shared_ptr<std::byte> place(
      require_mapped(mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
                     bytes),
      [reserved](std::byte* data) { munmap(data, reserved); });
  std::byte* begin = place.get() + (reserved == bytes ? 0 : bytes_to_huge_page(place.get()));
  return {place, require_mapped(mmap(begin, bytes, protection, flags, fd, 0), bytes)};
}

// The live mappings of this process.
class MappingRegistry {
 public:
  std::shared_ptr<std::byte> find_or_map(int fd, std::size_t bytes, Populate populate, Access access) {
    const Key key = {require_sealed(fd, bytes), access};
    const MutexLock lock(mutex_);
    std::erase_if(mappings_, [](const auto& entry) { return entry.second.expired(); });
    if (auto mapped = mappings_[key].lock()) {
      return mapped;
    }
    auto mapped = map_anew(fd, bytes, populate, access);
    mappings_[key] = mapped;
    return mapped;
  }

 private:
  using Key = std::pair<FileId, Access>;

  Mutex mutex_;
  std::map<Key, std::weak_ptr<std::byte>> mappings_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace

UniqueFd create_memory_file(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<off_t>::max())) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} bytes are more than a file can have", bytes));
  }
  UniqueFd fd(memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) {
    throw Error::from_errno(errno, "memfd_create");
  }
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    throw Error::from_errno(errno, "ftruncate", fmt::format("a memory file to {} bytes", bytes));
  }
  if (fcntl(fd.get(), F_ADD_SEALS, kSizeSeals) != 0) {
    throw Error::from_errno(errno, "sealing a memory file");
  }
  return fd;
}

std::shared_ptr<std::byte> map_memory_file(int fd, std::size_t bytes, Populate populate, Access access) {
  static auto* registry = new MappingRegistry;  // never destroyed: mappings may outlive static destructors
  return registry->find_or_map(fd, bytes, populate, access);
}

}  // namespace lockstep
