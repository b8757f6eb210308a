#include "optim/sliced_state.h"

#include "ddp/tensor_buffer.h"

namespace lockstep {
namespace {

// The tensor keeps the memory alive.
torch::Tensor tensor_over(const SharedMemory& memory, std::int64_t count,
                          const torch::TensorOptions& options) {
  return torch::from_blob(
      memory.writable(), {count}, [memory](void* /*data*/) {}, options);
}

}  // namespace

void SlicedState::provide(std::size_t bucket, std::string_view kind) {
  Room& room = rooms_[{bucket, std::string(kind)}];
  if (room.mine.defined()) {
    return;
  }
  const BucketSlice& shape = slices_.slices()[bucket];
  Communicator& communicator = slices_.communicator();
  const auto options = torch::TensorOptions().dtype(shape.dtype);
  if (shape.count > 0 && communicator.shares_memory()) {
    const std::int64_t count = shape.count * communicator.size();
    const auto bytes = static_cast<std::size_t>(count) * c10::elementSize(shape.dtype);
    room.all = tensor_over(communicator.allocate_shared(bytes), count, options);
    room.mine = room.all.narrow(0, shape.count * communicator.rank(), shape.count);
  } else {
    room.mine = torch::zeros({shape.count}, options);
  }
}

torch::Tensor SlicedState::all_slices(std::size_t bucket, std::string_view kind) const {
  const Room& room = this->room(bucket, kind);
  if (room.all.defined()) {
    return room.all;
  }
  Communicator& communicator = slices_.communicator();
  const torch::Tensor all = torch::empty({room.mine.numel() * communicator.size()}, room.mine.options());
  communicator.all_gather(buffer_of(room.mine), buffer_of(all), {.label = "state of the optimizer"});
  return all;
}

}  // namespace lockstep
