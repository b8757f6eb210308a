#pragma once

// Converts safetensors to torch.save archives and back. The extensions of the names determine the direction.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockstep::convert {

struct Conversion {
  std::filesystem::path input = {};      // .safetensors, .pt, .pth, or the folder of a checkpoint
  std::filesystem::path output = {};     // .safetensors, .pt or .pth: not the format of the input
  std::optional<std::string> part = {};  // of a checkpoint; default: the model
  std::optional<std::string> key = {};   // of the state_dict in an archive that holds more
  bool overwrite = false;
};

struct Converted {
  std::size_t tensors = 0;
  std::uint64_t bytes = 0;  // of these tensors
};

// The output appears complete or not at all. A checkpoint is verified first. Throws Error{kInvalidArgument} for names
// that do not fit or an output that exists already, and what reading, checking and writing throw; in that case nothing
// was written.
Converted convert(const Conversion& conversion);

}  // namespace lockstep::convert
