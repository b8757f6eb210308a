#include "ddp/parameter_set.h"

#include <ATen/MemoryOverlap.h>
#include <c10/util/StringUtil.h>
#include <torch/nn/modules/embedding.h>

#include <unordered_set>

#include "ddp/tensor_buffer.h"
#include "lockstep/error.h"
#include "reduce/agreement.h"

namespace lockstep {
namespace {

using Identities = std::unordered_set<const c10::TensorImpl*>;

Identities sparse_weights(const torch::nn::Module& module) {
  Identities weights;
  for (const auto& part : module.modules()) {
    if (const auto* embedding = part->as<torch::nn::EmbeddingImpl>();
        embedding != nullptr && embedding->options.sparse()) {
      weights.insert(embedding->weight.unsafeGetTensorImpl());
    }
    if (const auto* bag = part->as<torch::nn::EmbeddingBagImpl>(); bag != nullptr && bag->options.sparse()) {
      weights.insert(bag->weight.unsafeGetTensorImpl());
    }
  }
  return weights;
}

[[noreturn]] void refuse(const NamedTensor& named, const char* what, const std::string& reason) {
  throw Error(ErrorCode::kUnsupported, c10::str(what, " '", named.name, "' ", reason));
}

void require_known(const NamedTensor& named, const char* what) {
  if (!named.tensor.device().is_cpu()) {
    refuse(named, what, c10::str("is on ", named.tensor.device(), ": this build averages on the CPU only"));
  }
  if (named.tensor.layout() != torch::kStrided) {
    refuse(named, what,
           c10::str("has the layout ", named.tensor.layout(),
                    ": only dense tensors are kept equal on all ranks. "
                    "Store it dense (to_dense()) and make it sparse where it is used"));
  }
  if (named.tensor.numel() > 0 &&
      at::has_internal_overlap(named.tensor.unsafeGetTensorImpl()) == at::MemOverlap::Yes) {
    refuse(named, what,
           c10::str("is expanded: its ", named.tensor.numel(), " elements share memory (strides ",
                    named.tensor.strides(),
                    "). clone() it, or keep the small tensor and expand it in forward()"));
  }
}

void require_trainable(const NamedTensor& named) {
  try {
    dtype_of(named.tensor);
  } catch (const Error&) {
    refuse(
        named, "parameter",
        c10::str("is ", c10::toString(named.tensor.scalar_type()),
                 ", which cannot be averaged: train it as float, bfloat16 or half and cast it in forward()"));
  }
}

std::string line_of(const NamedTensor& named, const char* kind) {
  return c10::str(kind, " '", named.name, "' ", named.tensor.sizes(), " strides ", named.tensor.strides(),
                  " ", c10::toString(named.tensor.scalar_type()));
}

}  // namespace

std::vector<NamedTensor> ParameterSet::all_parameters() const {
  std::vector<NamedTensor> all = dense;
  all.insert(all.end(), sparse.begin(), sparse.end());
  all.insert(all.end(), frozen.begin(), frozen.end());
  return all;
}

ParameterSet collect_parameters(const torch::nn::Module& module) {
  ParameterSet set;
  const Identities sparse = sparse_weights(module);
  Identities seen;
  for (const auto& item : module.named_parameters()) {
    const NamedTensor named{item.key(), item.value()};
    const auto* identity = named.tensor.unsafeGetTensorImpl();
    if (!named.tensor.defined() || !seen.insert(identity).second) {
      continue;
    }
    require_known(named, "parameter");
    if (!named.tensor.requires_grad()) {
      set.frozen.push_back(named);
    } else if (sparse.count(identity) > 0) {
      set.sparse.push_back(named);
    } else {
      require_trainable(named);
      set.dense.push_back(named);
    }
  }
  for (const auto& item : module.named_buffers()) {
    const NamedTensor named{item.key(), item.value()};
    if (named.tensor.defined() && seen.insert(named.tensor.unsafeGetTensorImpl()).second) {
      require_known(named, "buffer");
      set.buffers.push_back(named);
    }
  }
  if (set.dense.empty() && set.sparse.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                set.frozen.empty()
                    ? "the module has no parameters: there is nothing to train"
                    : "no parameter of the module requires a gradient: there is nothing to train");
  }
  return set;
}

void require_equal_modules(const ParameterSet& parameters, Communicator& communicator) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::vector<NamedTensor>& tensors, const char* kind) {
    for (const NamedTensor& named : tensors) {
      lines.push_back(line_of(named, kind));
    }
  };
  add(parameters.dense, "parameter");
  add(parameters.sparse, "parameter with sparse gradients");
  add(parameters.frozen, "frozen parameter");
  add(parameters.buffers, "buffer");
  require_equal_lines(communicator, "tensor", lines);
}

void broadcast_tensors(const std::vector<NamedTensor>& tensors, Communicator& communicator, int root) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& named : tensors) {
    if (named.tensor.is_non_overlapping_and_dense()) {
      communicator.broadcast(bytes_of(named.tensor), root, {.label = named.name});
    } else {
      torch::Tensor packed = named.tensor.contiguous();
      communicator.broadcast(bytes_of(packed), root, {.label = named.name});
      named.tensor.data().copy_(packed);
    }
  }
}

void broadcast_state(const ParameterSet& parameters, Communicator& communicator, int root) {
  broadcast_tensors(parameters.all_parameters(), communicator, root);
  broadcast_tensors(parameters.buffers, communicator, root);
}

}  // namespace lockstep
