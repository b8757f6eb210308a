#include "checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <tuple>

#include "checkpoint/safetensors_json.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

constexpr std::size_t kDataAlignment = 8;

void require_filled(std::string_view file, const std::vector<TensorPlace>& tensors,
                    std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const TensorPlace& tensor : tensors) {
    if (tensor.begin != end) {
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("{}: tensor {}: expected its bytes from {} on, where those "
                              "before it end, found them from {} on",
                              file, config::in_quotes(tensor.name), end, tensor.begin));
    }
    end = tensor.end;
  }
  if (end != data_bytes) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected {} bytes of tensors, found {}", file, end, data_bytes));
  }
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view file, std::string_view json,
                                           std::uint64_t data_bytes) {
  if (!json.starts_with('{')) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: byte {}: expected '{{', the start of the header, found {}", file,
                            kHeaderLengthBytes, config::in_quotes(json.substr(0, 1))));
  }
  SafetensorsHeader header = read_safetensors_json(file, json);
  std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorPlace& a, const TensorPlace& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  require_filled(file, header.tensors, data_bytes);
  return header;
}

std::string safetensors_header_text(const SafetensorsHeader& header) {
  std::string text = "{";
  const auto comma = [&text] { return text.size() > 1 ? "," : ""; };
  if (!header.metadata.empty()) {
    std::string members;
    for (const auto& [name, value] : header.metadata) {
      members += fmt::format("{}{}:{}", members.empty() ? "" : ",", quoted(name), quoted(value));
    }
    text += fmt::format("\"{}\":{{{}}}", kMetadataKey, members);
  }
  for (const TensorPlace& tensor : header.tensors) {
    text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", comma(),
                        quoted(tensor.name), to_string(tensor.type), fmt::join(tensor.shape, ","),
                        tensor.begin, tensor.end);
  }
  text += "}";
  const std::size_t rest = (kHeaderLengthBytes + text.size()) % kDataAlignment;
  return text.append((kDataAlignment - rest) % kDataAlignment, ' ');
}

}  // namespace lockstep::checkpoint
