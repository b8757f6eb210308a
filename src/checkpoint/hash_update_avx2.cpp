// The AVX2 version. Must not call functions that other files may share: a copy compiled for AVX2 could otherwise end up
// in a program on a processor without it.

#include <xxhash.h>

#include "checkpoint/hash_update.h"

namespace lockstep::checkpoint {

void update_hash_avx2(void* state, const std::byte* bytes, std::size_t count) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, count);  // fails for null pointers only
}

}  // namespace lockstep::checkpoint
