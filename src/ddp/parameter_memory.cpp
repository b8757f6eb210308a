#include "ddp/parameter_memory.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "ddp/tensor_buffer.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// The bytes from the first element of a tensor to its last.
std::pair<const std::byte*, const std::byte*> extent_of(const torch::Tensor& tensor) {
  std::int64_t last = 0;
  for (std::int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    last += (tensor.size(dimension) - 1) * tensor.stride(dimension);
  }
  const auto* first = static_cast<const std::byte*>(tensor.data_ptr());
  return {first, first + (last + 1) * tensor.element_size()};
}

Buffer place_in(const SymmetricMemory& memory, const Buffer& place, const GradientSync& gradients) {
  return {memory.data() + (place.data() - gradients.memory().data()), place.count(), place.dtype()};
}

// Kept alive by the tensors over it, even when everything else is gone.
struct GuardedMemory {
  SharedMemory memory;
  std::optional<WriteGuard> guard;
};

// One of the two mappings.
SymmetricMemory handle(const std::shared_ptr<GuardedMemory>& guarded, std::byte* data) {
  return {std::shared_ptr<std::byte>(guarded, data), guarded->memory.bytes()};
}

constexpr const char* kHowToWrite =
    "the ranks of this host share it, and only their optimizer writes it. Write to it inside "
    "model.write_parameters(...) of the DistributedDataParallel, or give the optimizer "
    "optim::Parameters::kReplicated (a training program: --optimizer.parameters=replicated)";

}  // namespace

ParameterMemory::ParameterMemory(std::vector<NamedTensor> parameters, Communicator& communicator)
    : parameters_(std::move(parameters)), communicator_(communicator) {
  for (const NamedTensor& parameter : parameters_) {
    const torch::Tensor& tensor = parameter.tensor;
    const auto options = torch::dtype(tensor.scalar_type()).device(torch::kMeta);
    layouts_.push_back(tensor.is_non_overlapping_and_dense()
                           ? torch::empty_strided(tensor.sizes(), tensor.strides(), options)
                           : torch::empty(tensor.sizes(), options));
  }
}

void ParameterMemory::require_apart() const {
  std::vector<const NamedTensor*> sorted;
  for (const NamedTensor& parameter : parameters_) {
    if (parameter.tensor.numel() > 0) {
      sorted.push_back(&parameter);
    }
  }
  std::sort(sorted.begin(), sorted.end(), [](const NamedTensor* left, const NamedTensor* right) {
    return extent_of(left->tensor) < extent_of(right->tensor);
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (extent_of(sorted[i]->tensor).first < extent_of(sorted[i - 1]->tensor).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("parameters '", sorted[i - 1]->name, "' and '", sorted[i]->name,
                           "' share memory without being one tensor: a sharded optimizer would part them. "
                           "Register the same tensor under both names"));
    }
  }
}

void ParameterMemory::share() {
  if (shared_ || communicator_.size() == 1) {
    return;
  }
  if (!communicator_.shares_memory()) {
    throw Error(ErrorCode::kUnsupported,
                c10::str("ranks of the ", communicator_.backend_name(),
                         " backend have no memory in common: leave the parameters replicated"));
  }
  shared_ = true;
  generation_.reset();
}

Buffer ParameterMemory::beside(const Buffer& place, const GradientSync& gradients) const {
  return place_in(memory_, place, gradients);
}

void ParameterMemory::allocate(const GradientSync& gradients) {
  require_apart();
  const std::size_t bytes = gradients.memory().bytes();
  std::shared_ptr<GuardedMemory> guarded;
  SymmetricMemory seen;
  if (shared_) {
    guarded = std::make_shared<GuardedMemory>();
    guarded->memory = communicator_.allocate_shared(bytes);
    memory_ = handle(guarded, guarded->memory.writable());
    // Tensors do not know read-only memory; the page tables do.
    seen = handle(guarded, const_cast<std::byte*>(guarded->memory.data()));
  } else {
    memory_ = communicator_.allocate(bytes);
    seen = memory_;
  }
  place(seen, gradients);
  if (guarded) {
    guarded->guard.emplace(guarded_places());
  }
  generation_ = gradients.generation();
  ++moves_;
}

void ParameterMemory::place(const SymmetricMemory& seen, const GradientSync& gradients) {
  places_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Buffer gradient = gradients.gradient(i);
    places_.push_back({.seen = view_as(layouts_[i], place_in(seen, gradient, gradients), seen),
                       .written = view_as(layouts_[i], place_in(memory_, gradient, gradients), memory_)});
  }
}

std::vector<WriteGuard::Place> ParameterMemory::guarded_places() const {
  std::vector<WriteGuard::Place> guarded;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor& seen = places_[i].seen;
    guarded.push_back({.begin = static_cast<const std::byte*>(seen.data_ptr()),
                       .bytes = static_cast<std::size_t>(seen.nbytes()),
                       .message = c10::str("rank ", communicator_.rank(), " wrote to shared parameter '",
                                           parameters_[i].name, "'"),
                       .advice = kHowToWrite});
  }
  return guarded;
}

bool ParameterMemory::strayed(std::size_t index) const {
  return parameters_[index].tensor.data_ptr() != places_[index].seen.data_ptr();
}

bool ParameterMemory::strayed_anywhere() const {
  std::int32_t strays = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    strays += strayed(i) ? 1 : 0;
  }
  communicator_.all_reduce(std::span(&strays, 1), ReduceOp::kMax, {.label = "parameters"});
  return strays > 0;
}

void ParameterMemory::move_in() {
  const torch::NoGradGuard no_grad;
  const bool brings_values = !shared_ || communicator_.rank() == 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (strayed(i)) {
      torch::Tensor& parameter = parameters_[i].tensor;
      if (brings_values) {
        places_[i].written.copy_(parameter.detach());
      }
      parameter.set_data(places_[i].seen);
    }
  }
  if (shared_) {
    communicator_.barrier({.label = "parameters"});
  }
}

// All ranks are asked whether a parameter has moved away: they wait for each other here in every step, and a rank must
// not move parameters in alone.
void ParameterMemory::follow(const GradientSync& gradients) {
  if (generation_ != gradients.generation()) {
    allocate(gradients);
    move_in();
  } else if (!shared_ || strayed_anywhere()) {
    move_in();
  }
}

void ParameterMemory::move_out() {
  const torch::NoGradGuard no_grad;
  for (NamedTensor& parameter : parameters_) {
    parameter.tensor.set_data(parameter.tensor.detach().clone());
  }
}

void ParameterMemory::return_unchanged() {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].tensor.set_data(places_[i].seen);
  }
}

}  // namespace lockstep
