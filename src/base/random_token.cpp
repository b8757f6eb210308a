#include "base/random_token.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "lockstep/error.h"

namespace lockstep {

std::string random_token() {
  std::array<std::uint64_t, 2> words{};
  if (getrandom(words.data(), sizeof words, 0) != static_cast<ssize_t>(sizeof words)) {
    throw Error::from_errno(errno, "getrandom");
  }
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace lockstep
