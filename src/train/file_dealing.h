#pragma once

// Decides which rank writes which part of a checkpoint: about equally many bytes each, so that no rank holds up the
// others. A pure function of sizes that all ranks know.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::train {

struct SizedFile {
  std::string name;
  std::vector<std::uint64_t> bytes;        // of its tensors
  bool is_divisible = false;               // may become several files, each with some of the tensors
  std::optional<std::size_t> writer = {};  // the only rank that may write it
};

struct DealtFile {
  std::size_t source = 0;  // index of the file that it is, or is a part of
  std::string name;
  std::size_t writer = 0;
  std::vector<std::size_t> tensors;  // of the source, in its order
};

// Splits divisible files into as many parts as are worth a file each. `writers` is at least 1.
std::vector<DealtFile> deal(const std::vector<SizedFile>& files, std::size_t writers);

}  // namespace lockstep::train
