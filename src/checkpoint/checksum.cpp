#include "checkpoint/checksum.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/check.h"

namespace lockstep::checkpoint {

struct Checksum::State {
  XXH3_state_t hash;
};

Checksum::Checksum(HashUpdate update) : update_(update), state_(std::make_unique<State>()) {
  LOCKSTEP_CHECK(XXH3_128bits_reset(&state_->hash) == XXH_OK);
}

Checksum::Checksum(Checksum&& other) noexcept = default;
Checksum& Checksum::operator=(Checksum&& other) noexcept = default;
Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) {  // an empty span may be a null pointer, which the hash does not accept
    update_(&state_->hash, bytes.data(), bytes.size());
  }
}

std::string Checksum::text() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(&state_->hash);
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::string checksum_text(std::span<const std::byte> bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.text();
}

}  // namespace lockstep::checkpoint
