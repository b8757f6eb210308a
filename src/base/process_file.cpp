#include "base/process_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>

#include "base/unique_fd.h"

namespace lockstep {

// Not with a stream: its buffer throws when the process exits between opening and reading.
std::string read_process_file(pid_t pid, std::string_view name) {
  const UniqueFd file(open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece{};
  while (file) {
    const ssize_t count = read(file.get(), piece.data(), piece.size());
    if (count > 0) {
      text.append(piece.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return text;
    } else if (errno != EINTR) {
      return {};
    }
  }
  return {};
}

// In "4711 (name) S 815 ...", after the last parenthesis: the name of the program may contain anything.
pid_t parent_of(pid_t pid) {
  const std::string stat = read_process_file(pid, "stat");
  const std::size_t name_end = stat.rfind(") ");
  pid_t parent = 0;
  if (name_end != std::string::npos && name_end + 4 < stat.size()) {
    std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  }
  return parent;
}

}  // namespace lockstep
