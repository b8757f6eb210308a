#pragma once

// The state_dict of a PyTorch module, from an archive of torch.save.
//
//   const StateDict state = StateDict::read("model.pt", bytes);
//   checkpoint::write_safetensors(sink, state.tensors());
//
// Nothing in the archive is executed or trusted unchecked.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoint/file_bytes.h"
#include "checkpoint/safetensors.h"
#include "convert/strided_tensor.h"

namespace lockstep::convert {

class StateDict {
 public:
  // With a `key`, the state_dict under that name in a dict. The bytes must outlive the result. Throws Error{kCorrupt},
  // Error{kUnsupported} for anything torch.save can write that is not a state_dict, Error{kInvalidArgument} with the
  // available keys when a key is missing or wrong, and Error{kResourceExhausted} beyond a limit; all with `name`.
  static StateDict read(std::string_view name, std::span<const std::byte> bytes,
                        std::optional<std::string_view> key = {});

  // In the order of the archive. The views point into the archive where tensors are row-major, and otherwise into this
  // object.
  const std::vector<checkpoint::TensorView>& tensors() const { return tensors_; }

 private:
  void add(std::string_view name, const StridedTensor& tensor);

  std::vector<checkpoint::TensorView> tensors_;
  std::vector<checkpoint::FileBytes> copies_;
};

}  // namespace lockstep::convert
