#pragma once

// Which rank writes what of a checkpoint: about equally many bytes each, so that none holds up the others. A plain
// function of sizes, which all ranks know alike.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::train {

struct SizedFile {
  std::string name;
  std::vector<std::uint64_t> bytes;        // of its tensors
  bool is_divisible = false;               // may become several files, with some of the tensors each
  std::optional<std::size_t> writer = {};  // nobody else may write it
};

struct DealtFile {
  std::size_t source = 0;  // which of the files it is, or is a part of
  std::string name;
  std::size_t writer = 0;
  std::vector<std::size_t> tensors;  // of the source, in its order
};

// Files that can be divided are, into as many parts as are all worth a file of their own. `writers` is at least 1.
std::vector<DealtFile> deal(const std::vector<SizedFile>& files, std::size_t writers);

}  // namespace lockstep::train
