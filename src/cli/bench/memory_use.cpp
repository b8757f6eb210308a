#include "cli/bench/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/process_file.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

// The number in a line such as "VmHWM:     1684 kB".
std::size_t bytes_of(std::string_view text, std::string_view name) {
  const std::string start = fmt::format("\n{}:", name);
  const std::size_t line = text.find(start);
  if (line != std::string_view::npos) {
    const std::size_t digits = text.find_first_not_of(" \t", line + start.size());
    std::size_t kib = 0;
    if (digits != std::string_view::npos &&
        std::from_chars(text.data() + digits, text.data() + text.size(), kib).ec == std::errc()) {
      return kib << 10;
    }
  }
  throw Error(ErrorCode::kSystem, fmt::format("the kernel does not say the {} of a process", name));
}

}  // namespace

MemoryUse parse_memory_use(std::string_view status, std::string_view smaps_rollup) {
  return {.peak_rss = bytes_of(status, "VmHWM"),
          .rss = bytes_of(status, "VmRSS"),
          .own = bytes_of(smaps_rollup, "Pss_Anon"),
          .shared = bytes_of(smaps_rollup, "Pss_Shmem"),
          .files = bytes_of(status, "RssFile")};
}

MemoryUse memory_use_of(pid_t process) {
  return parse_memory_use(read_process_file(process, "status"), read_process_file(process, "smaps_rollup"));
}

std::size_t memory_now(const std::vector<MemoryUse>& processes) {
  std::size_t sum = 0;
  std::size_t files = 0;
  for (const MemoryUse& use : processes) {
    sum += use.own + use.shared;
    files = std::max(files, use.files);
  }
  return sum + files;
}

std::size_t memory_at_peak(const std::vector<MemoryUse>& processes) {
  std::size_t sum = memory_now(processes);
  for (const MemoryUse& use : processes) {
    sum += use.peak_rss - std::min(use.rss, use.peak_rss);
  }
  return sum;
}

}  // namespace lockstep::bench
