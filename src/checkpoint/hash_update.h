#pragma once

// Adds bytes to the state of an XXH3 hash. Compiled once for each instruction set and chosen at run time; all give the
// same bits.

#include <cstddef>

namespace lockstep::checkpoint {

// `state` is an XXH3_state_t.
using HashUpdate = void (*)(void* state, const std::byte* bytes, std::size_t count);

void update_hash_plain(void* state, const std::byte* bytes, std::size_t count);
void update_hash_avx2(void* state, const std::byte* bytes, std::size_t count);

bool has_avx2();
// The fastest one for this processor.
HashUpdate best_hash_update();

}  // namespace lockstep::checkpoint
