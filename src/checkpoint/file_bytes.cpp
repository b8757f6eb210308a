#include "checkpoint/file_bytes.h"

#include <fmt/format.h>

#include <new>

#include "data/byte_source.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {

FileBytes memory_for(std::string_view name, std::uint64_t size) {
  try {
    return FileBytes(size);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kResourceExhausted, fmt::format("{}: no memory for its {} bytes", name, size));
  }
}

FileBytes read_file(const std::filesystem::path& path) {
  const auto source = open_file(path);
  FileBytes content = memory_for(source->name(), source->size());
  const std::size_t count = source->read_at(0, content.bytes());
  if (count != content.bytes().size()) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: expected {} bytes, found {}", source->name(),
                                                 content.bytes().size(), count));
  }
  return content;
}

}  // namespace lockstep::checkpoint
