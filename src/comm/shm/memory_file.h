#pragma once

// Memory that several ranks share: a memfd, sealed so that nobody who holds it can change its size (a peer that
// shrank it would kill the others with SIGBUS), and a mapping of it. It has no name, so nothing is left behind
// whatever is killed, and it does not depend on the size of /dev/shm.

#include <cstddef>
#include <memory>

#include "base/unique_fd.h"

namespace lockstep {

// Zeroed memory of `bytes`. Throws Error{kSystem} or Error{kInvalidArgument}.
UniqueFd create_memory_file(std::size_t bytes);

enum class Access { kRead, kWrite };  // kWrite reads too
enum class Populate { kNow, kOnTouch };

// All of a memory file, until the last owner of the mapping goes away. Ranks that are threads of one process get the
// same mapping for the same access, so that an address means the same to all of them and thread sanitizer sees what
// they do to each other. Refuses, with Error{kCorrupt}, a file that is not sealed or has another size. kNow touches
// every page at once, instead of one by one in the first collective.
std::shared_ptr<std::byte> map_memory_file(int fd, std::size_t bytes, Populate populate,
                                           Access access = Access::kWrite);

}  // namespace lockstep
