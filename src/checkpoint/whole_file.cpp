#include "checkpoint/whole_file.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "checkpoint/file_parts.h"
#include "config/printable.h"

namespace lockstep::checkpoint {

WholeFile::WholeFile(const Checkpoint& checkpoint, const std::string& whole) {
  std::vector<std::string> parts = parts_of(whole, checkpoint.manifest(), checkpoint.directory().string());
  if (parts.empty()) {
    parts.push_back(whole);
  }
  for (const std::string& part : parts) {
    const FileBytes& bytes = contents_.emplace_back(checkpoint.read(part));
    Safetensors found =
        parse_safetensors(config::printable((checkpoint.directory() / part).string()), bytes.bytes());
    std::move(found.tensors.begin(), found.tensors.end(), std::back_inserter(all_.tensors));
    all_.metadata.merge(found.metadata);
  }
  std::sort(all_.tensors.begin(), all_.tensors.end(),
            [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
}

}  // namespace lockstep::checkpoint
