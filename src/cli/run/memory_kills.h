#pragma once

// Whether the kernel killed processes of this control group for want of memory since this object was made.

#include <cstdint>
#include <optional>

namespace lockstep::run {

class MemoryKills {
 public:
  MemoryKills();

  bool any() const;

 private:
  std::optional<std::uint64_t> before_;
};

}  // namespace lockstep::run
