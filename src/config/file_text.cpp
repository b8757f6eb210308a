#include "config/file_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/unique_fd.h"
#include "lockstep/config_byte_size.h"

namespace lockstep::config {
namespace {

Problem cannot_be_read(int error_number) {
  return {"cannot be read: " + std::generic_category().message(error_number)};
}

}  // namespace

Checked<std::string> read_text_file(const std::string& path, std::size_t limit) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return cannot_be_read(errno);
  }
  std::string text(limit + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(file.get(), text.data() + size, text.size() - size);
    if (count == 0) {
      text.resize(size);
      return text;
    }
    if (count > 0) {
      size += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return cannot_be_read(errno);
    }
  }
  return Problem{fmt::format("larger than {}, too large for a file of options", to_text(ByteSize(limit)))};
}

}  // namespace lockstep::config
