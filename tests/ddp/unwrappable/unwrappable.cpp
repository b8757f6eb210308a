// What DistributedDataParallel cannot wrap. The errors are the test.

#include <torch/csrc/jit/api/module.h>
#include <torch/nn/modules/container/any.h>

#include "lockstep/distributed_data_parallel.h"

struct PlainNet : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x; }
};

template class lockstep::DistributedDataParallel<PlainNet>;
template class lockstep::DistributedDataParallel<torch::jit::Module>;
template class lockstep::DistributedDataParallel<torch::nn::AnyModule>;
