// Any bytes as a safetensors file: twice, as they are and with a header that reaches to the last brace, since hardly a
// change would get past a length that does not fit. What is accepted must be whole, and come out the same when it is
// written and read again.

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.h"
#include "one_input.h"

namespace {

using namespace lockstep;
using namespace lockstep::checkpoint;

class MemorySink final : public ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    content.insert(content.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::byte> content;
};

bool same_tensor(const TensorView& a, const TensorView& b) {
  return a.name == b.name && a.type == b.type && a.shape == b.shape &&
         std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
}

void read(std::span<const std::byte> bytes) {
  fuzz::expect_success_or_error([bytes] {
    const Safetensors file = parse_safetensors("input", bytes);
    for (const TensorView& tensor : file.tensors) {
      fuzz::require(tensor.bytes.size() == bytes_of(tensor.type, tensor.shape));
      fuzz::require(tensor.bytes.empty() ||
                    (tensor.bytes.data() >= bytes.data() && &tensor.bytes.back() <= &bytes.back()));
    }
    MemorySink sink;
    write_safetensors(sink, file.tensors, file.metadata);
    const Safetensors again = parse_safetensors("again", sink.content);
    fuzz::require(again.metadata == file.metadata);
    fuzz::require(std::equal(again.tensors.begin(), again.tensors.end(), file.tensors.begin(),
                             file.tensors.end(), same_tensor));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  read(input);
  std::vector<std::byte> bytes(input.begin(), input.end());
  std::uint64_t length = 0;
  if (bytes.size() > sizeof(length)) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t brace = text.rfind('}');
    length = (brace == std::string_view::npos || brace < sizeof(length) ? size : brace + 1) - sizeof(length);
    std::memcpy(bytes.data(), &length, sizeof(length));
    read(bytes);
  }
  return 0;
}
