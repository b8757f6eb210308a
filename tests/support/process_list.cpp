#include "support/process_list.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kExiting = 0x4;  // PF_EXITING in the kernel's include/linux/sched.h

// From "id (name) state parent group session terminal terminal_group flags ...", where the name may hold
// anything. Nothing when the process has gone in the meantime.
std::optional<ProcessEntry> read_entry(pid_t id, const fs::path& directory) {
  std::stringstream content;
  content << std::ifstream(directory / "stat").rdbuf();
  const std::string text = content.str();
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream fields(text.substr(name_end + 1));
  ProcessEntry entry{.id = id};
  int session = 0;
  int terminal = 0;
  int terminal_group = 0;
  unsigned flags = 0;
  fields >> entry.state >> entry.parent >> entry.group >> session >> terminal >> terminal_group >> flags;
  entry.exiting = (flags & kExiting) != 0;
  return fields ? std::optional(entry) : std::nullopt;
}

std::vector<ProcessEntry> list(const fs::path& root) {
  std::vector<ProcessEntry> entries;
  std::error_code problem;
  for (fs::directory_iterator next(root, problem), end; !problem && next != end; next.increment(problem)) {
    const std::string name = next->path().filename().string();
    pid_t id = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) {
      continue;
    }
    if (const auto entry = read_entry(id, next->path())) {
      entries.push_back(*entry);
    }
  }
  if (problem) {
    throw Error(ErrorCode::kSystem, "cannot list " + root.string() + ": " + problem.message());
  }
  return entries;
}

}  // namespace

std::vector<ProcessEntry> list_processes() {
  return list("/proc");
}

std::vector<ProcessEntry> list_own_threads() {
  return list("/proc/self/task");
}

}  // namespace lockstep::testing
