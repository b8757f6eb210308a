// Any bytes as an archive of torch.save: as they are, and as the pickle in a sound one with two storages, since hardly a
// change would get past the checksum of an entry. What is accepted must be whole, and come out the same when it is written
// and read again.

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "convert/state_dict.h"
#include "convert/state_dict_writer.h"
#include "convert/zip_writer.h"
#include "one_input.h"

namespace {

using namespace lockstep;
using namespace lockstep::convert;
using checkpoint::TensorView;

class MemorySink final : public checkpoint::ByteSink {
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
    const StateDict state = StateDict::read("input", bytes);
    for (const TensorView& tensor : state.tensors()) {
      fuzz::require(tensor.bytes.size() == checkpoint::bytes_of(tensor.type, tensor.shape));
    }
    MemorySink sink;
    write_state_dict(sink, state.tensors());
    const StateDict again = StateDict::read("again", sink.content);
    fuzz::require(std::equal(again.tensors().begin(), again.tensors().end(), state.tensors().begin(),
                             state.tensors().end(), same_tensor));
  });
}

std::vector<std::byte> archive_with(std::span<const std::byte> pickle) {
  constexpr std::string_view kStorage = "the forty-eight bytes of a storage in an archive";
  MemorySink sink;
  ZipWriter archive(sink);
  archive.add("a/data.pkl", pickle);
  archive.add("a/data/0", std::as_bytes(std::span(kStorage)));
  archive.add("a/data/1", std::as_bytes(std::span(kStorage.substr(0, 4))));
  archive.finish();
  return sink.content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  read(input);
  read(archive_with(input));
  return 0;
}
