#include "optim/sliced_state.h"

namespace lockstep {

torch::Tensor& SlicedState::slice(std::size_t bucket, std::string_view kind) {
  torch::Tensor& tensor = tensors_[{bucket, std::string(kind)}];
  if (!tensor.defined()) {
    const BucketSlice& shape = slices_.slices()[bucket];
    tensor = torch::zeros({shape.count}, torch::TensorOptions().dtype(shape.dtype));
  }
  return tensor;
}

}  // namespace lockstep
