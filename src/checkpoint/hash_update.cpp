#include "checkpoint/hash_update.h"

#include <xxhash.h>

#include "base/check.h"

namespace lockstep::checkpoint {

void update_hash_plain(void* state, const std::byte* bytes, std::size_t count) {
  LOCKSTEP_CHECK(XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, count) == XXH_OK);
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0;
}

HashUpdate best_hash_update() {
  return has_avx2() ? update_hash_avx2 : update_hash_plain;
}

}  // namespace lockstep::checkpoint
