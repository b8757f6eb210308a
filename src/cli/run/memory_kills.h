#pragma once

// Whether the kernel's OOM killer has killed processes of this control group since this object was created.

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
