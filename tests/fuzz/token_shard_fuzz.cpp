// Any bytes as a token shard: twice, as they are and with the header's checksum put right, since hardly a change
// would get past that.

#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <string>
#include <vector>

#include "lockstep/token_shard.h"
#include "one_input.h"

namespace {

using namespace lockstep;

constexpr std::size_t kChecksumOffset = 56;

// Shards are mapped, so it has to be a file; this one lives in memory.
void read_as_file(const std::vector<std::uint8_t>& bytes) {
  const int fd = memfd_create("shard", MFD_CLOEXEC);
  fuzz::require(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  fuzz::expect_success_or_error([fd] {
    const TokenShard shard = TokenShard::open("/proc/self/fd/" + std::to_string(fd));
    std::vector<std::int64_t> tokens(shard.size());
    shard.copy(0, tokens);
    shard.verify();
  });
  close(fd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  read_as_file(bytes);
  if (size >= kChecksumOffset + sizeof(std::uint64_t)) {
    const std::uint64_t checksum = XXH64(bytes.data(), kChecksumOffset, 0);
    std::memcpy(bytes.data() + kChecksumOffset, &checksum, sizeof(checksum));
    read_as_file(bytes);
  }
  return 0;
}
