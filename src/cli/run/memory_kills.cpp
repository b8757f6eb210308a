#include "cli/run/memory_kills.h"

#include "cli/doctor/cgroup.h"

namespace lockstep::run {

MemoryKills::MemoryKills() : before_(doctor::read_memory_kills(doctor::HostFiles())) {}

bool MemoryKills::any() const {
  const auto now = doctor::read_memory_kills(doctor::HostFiles());
  return now && before_ && *now > *before_;
}

}  // namespace lockstep::run
