#include "cli/bench/last_level_cache.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

namespace lockstep::bench {
namespace {

struct Cache {
  std::uint64_t level = 0;  // 0: the core reports none
  std::uint64_t bytes = 0;  // 0: the size is not reported
  std::string cores;        // the cores that share it
};

// "266240K"
std::uint64_t parse_size(std::string_view text) {
  if (!text.ends_with('K')) {
    return 0;
  }
  text.remove_suffix(1);
  return doctor::parse_number(text).value_or(0) * 1024;
}

// The outermost data cache.
Cache last_cache_of(const doctor::HostFiles& files, const std::string& core) {
  Cache last;
  for (int index = 0;; ++index) {
    const std::string folder = fmt::format("{}/cache/index{}/", core, index);
    if (!files.exists(folder)) {
      return last;
    }
    const std::uint64_t level = doctor::parse_number(files.read_word(folder + "level")).value_or(0);
    if (level > last.level && files.read_word(folder + "type") != "Instruction") {
      last = {.level = level,
              .bytes = parse_size(files.read_word(folder + "size")),
              .cores = files.read_word(folder + "shared_cpu_list")};
    }
  }
}

}  // namespace

std::optional<std::uint64_t> last_level_cache_bytes(const doctor::HostFiles& files) {
  std::map<std::string, std::uint64_t> bytes_by_cores;
  for (int number = 0;; ++number) {
    const std::string core = fmt::format("/sys/devices/system/cpu/cpu{}", number);
    if (!files.exists(core)) {
      break;
    }
    const Cache cache = last_cache_of(files, core);
    if (cache.level == 0) {
      continue;  // an offline core
    }
    if (cache.bytes == 0) {
      return std::nullopt;
    }
    bytes_by_cores[cache.cores.empty() ? core : cache.cores] = cache.bytes;
  }
  std::uint64_t total = 0;
  for (const auto& [cores, bytes] : bytes_by_cores) {
    total += bytes;
  }
  return total > 0 ? std::optional(total) : std::nullopt;
}

}  // namespace lockstep::bench
