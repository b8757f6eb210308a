#pragma once

// Keeps module buffers, such as the running statistics of batch norm, the same on all ranks.

#include <torch/types.h>

#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/communicator.h"
#include "lockstep/replica.h"

namespace lockstep {

class BufferExchange {
 public:
  // Collective: allocates.
  BufferExchange(std::vector<NamedTensor> buffers, BufferSync mode, Communicator& communicator);

  // Collective. Buffers that are not averaged are taken from rank `source`.
  void run(int source);

 private:
  // Buffers that travel together.
  struct Pack {
    std::vector<torch::Tensor> buffers;
    DType dtype = DType::kU8;
    bool averaged = false;
    SymmetricMemory memory;
  };

  void add(const NamedTensor& buffer, bool averaged);
  void run(Pack& pack, int source);

  Communicator& communicator_;
  std::vector<Pack> packs_;
};

}  // namespace lockstep
