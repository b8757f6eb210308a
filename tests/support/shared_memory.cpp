#include "support/shared_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "lockstep/error.h"

namespace lockstep::testing {

SharedMemory::SharedMemory(std::size_t bytes) {
  void* address = mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    throw Error::from_errno(errno, "mmap");
  }
  bytes_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::~SharedMemory() {
  munmap(bytes_.data(), std::max<std::size_t>(bytes_.size(), 1));
}

}  // namespace lockstep::testing
