#include "ddp/buffer_exchange.h"

#include <algorithm>
#include <cstring>

#include "ddp/tensor_buffer.h"

namespace lockstep {

BufferExchange::BufferExchange(std::vector<NamedTensor> buffers, BufferSync mode, Communicator& communicator)
    : communicator_(communicator) {
  if (mode == BufferSync::kNone || communicator.size() == 1) {
    return;
  }
  for (const NamedTensor& buffer : buffers) {
    if (buffer.tensor.numel() > 0) {
      add(buffer, mode == BufferSync::kAverage && buffer.tensor.is_floating_point());
    }
  }
  for (Pack& pack : packs_) {
    std::size_t bytes = 0;
    for (const torch::Tensor& buffer : pack.buffers) {
      bytes += buffer.nbytes();
    }
    pack.memory = communicator.allocate(bytes);
  }
}

void BufferExchange::add(const NamedTensor& buffer, bool averaged) {
  const DType dtype = averaged ? dtype_of(buffer.tensor) : DType::kU8;
  auto pack = std::find_if(packs_.begin(), packs_.end(), [&](const Pack& candidate) {
    return candidate.dtype == dtype && candidate.averaged == averaged;
  });
  if (pack == packs_.end()) {
    pack = packs_.insert(pack, Pack{{}, dtype, averaged, {}});
  }
  pack->buffers.push_back(buffer.tensor);
}

void BufferExchange::run(int source) {
  const torch::NoGradGuard no_grad;
  for (Pack& pack : packs_) {
    run(pack, source);
  }
}

// Writes values without telling autograd, so that an earlier forward keeps what it saved: a second forward before the
// backward is no error.
void BufferExchange::run(Pack& pack, int source) {
  std::byte* place = pack.memory.data();
  for (const torch::Tensor& buffer : pack.buffers) {
    std::memcpy(place, buffer.contiguous().data_ptr(), buffer.nbytes());
    place += buffer.nbytes();
  }
  const Buffer all(pack.memory.data(), pack.memory.bytes() / size_of(pack.dtype), pack.dtype);
  if (pack.averaged) {
    communicator_.all_reduce(all, ReduceOp::kAvg, {.label = "buffers"});
  } else {
    communicator_.broadcast(all, source, {.label = "buffers"});
  }
  place = pack.memory.data();
  for (const torch::Tensor& buffer : pack.buffers) {
    if (buffer.is_contiguous()) {
      std::memcpy(buffer.data_ptr(), place, buffer.nbytes());
    } else {
      buffer.data().copy_(torch::from_blob(place, buffer.sizes(), buffer.options()));
    }
    place += buffer.nbytes();
  }
}

}  // namespace lockstep
