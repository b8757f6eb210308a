#pragma once

// From safetensors to an archive of torch.save and back. What becomes of what follows from the ends of the names.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockstep::convert {

struct Conversion {
  std::filesystem::path input = {};      // .safetensors, .pt, .pth, or the folder of a checkpoint
  std::filesystem::path output = {};     // .safetensors, .pt or .pth: not the form of the input
  std::optional<std::string> part = {};  // of a checkpoint; the model when it is not said
  std::optional<std::string> key = {};   // under which the state_dict is in an archive, when that holds more
  bool overwrite = false;
};

struct Converted {
  std::size_t tensors = 0;
  std::uint64_t bytes = 0;  // of these
};

// The output appears complete or not at all. A checkpoint is verified first. Throws Error{kInvalidArgument} for names
// that do not fit or an output that is there already, and what reading, checking and writing throw; then nothing was
// written.
Converted convert(const Conversion& conversion);

}  // namespace lockstep::convert
