#include "checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "checkpoint/safetensors_header.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

Error cannot_write(std::string_view name, std::string_view reason) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("tensor {} cannot be written: {}", config::in_quotes(name), reason)};
}

void require_writable(const TensorView& tensor) {
  if (!config::is_utf8(tensor.name)) {
    throw cannot_write(tensor.name, "its name is not UTF-8");
  }
  if (tensor.name == kMetadataKey) {
    throw cannot_write(tensor.name, "safetensors uses that name itself");
  }
  const auto bytes = bytes_of(tensor.type, tensor.shape);
  if (bytes != tensor.bytes.size()) {
    throw cannot_write(tensor.name,
                       fmt::format("it has {} bytes, which is not what {} [{}] takes", tensor.bytes.size(),
                                   to_string(tensor.type), fmt::join(tensor.shape, ", ")));
  }
}

void require_writable(const Metadata& metadata) {
  for (const auto& [name, value] : metadata) {
    if (!config::is_utf8(name) || !config::is_utf8(value)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("metadata {} cannot be written: it is not UTF-8", config::in_quotes(name)));
    }
  }
}

void require_unique_names(const std::vector<TensorView>& tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const TensorView& tensor : tensors) {
    names.push_back(tensor.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw cannot_write(*twice, "there are two of that name");
  }
}

// One after the other without gaps, which the format does not permit.
SafetensorsHeader header_of(const std::vector<TensorView>& tensors, const Metadata& metadata) {
  SafetensorsHeader header{.metadata = metadata};
  std::uint64_t end = 0;
  for (const TensorView& tensor : tensors) {
    const std::uint64_t begin = std::exchange(end, end + tensor.bytes.size());
    header.tensors.push_back(
        {.name = tensor.name, .type = tensor.type, .shape = tensor.shape, .begin = begin, .end = end});
  }
  return header;
}

}  // namespace

void write_safetensors(ByteSink& sink, std::vector<TensorView> tensors, const Metadata& metadata) {
  for (const TensorView& tensor : tensors) {
    require_writable(tensor);
  }
  require_writable(metadata);
  require_unique_names(tensors);
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    const std::size_t a_size = size_of(a.type);
    const std::size_t b_size = size_of(b.type);
    return a_size != b_size ? a_size > b_size : a.name < b.name;
  });
  const std::string header = safetensors_header_text(header_of(tensors, metadata));
  if (header.size() > kMostHeaderBytes) {
    throw Error(ErrorCode::kResourceExhausted,
                fmt::format("{} tensors need a header of {} bytes; safetensors allows {}", tensors.size(),
                            header.size(), kMostHeaderBytes));
  }
  const auto length = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{header.size()});
  sink.write(length);
  sink.write(std::as_bytes(std::span(header)));
  for (const TensorView& tensor : tensors) {
    sink.write(tensor.bytes);
  }
}

const TensorView* Safetensors::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors.begin(), tensors.end(), name,
      [](const TensorView& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != tensors.end() && found->name == name ? &*found : nullptr;
}

Safetensors parse_safetensors(std::string_view name, std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: byte 0: expected the length of the header, 8 bytes, found "
                            "{} and the end",
                            name, bytes.size()));
  }
  std::memcpy(&length, bytes.data(), sizeof(length));
  const std::span<const std::byte> behind = bytes.subspan(sizeof(length));
  if (length > std::min<std::uint64_t>(kMostHeaderBytes, behind.size())) {
    throw Error(
        ErrorCode::kCorrupt,
        fmt::format("{}: byte 0: expected a header of at most {} bytes that is in the file, found the "
                    "length {} and {} bytes",
                    name, kMostHeaderBytes, length, behind.size()));
  }
  const std::span<const std::byte> data = behind.subspan(length);
  SafetensorsHeader header = parse_safetensors_header(
      name, {reinterpret_cast<const char*>(behind.data()), static_cast<std::size_t>(length)}, data.size());
  Safetensors file{.metadata = std::move(header.metadata)};
  file.tensors.reserve(header.tensors.size());
  for (TensorPlace& tensor : header.tensors) {
    file.tensors.push_back({.name = std::move(tensor.name),
                            .type = tensor.type,
                            .shape = std::move(tensor.shape),
                            .bytes = data.subspan(tensor.begin, tensor.end - tensor.begin)});
  }
  std::sort(file.tensors.begin(), file.tensors.end(),
            [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  return file;
}

}  // namespace lockstep::checkpoint
