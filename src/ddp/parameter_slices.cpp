#include "ddp/parameter_slices.h"

#include <algorithm>

#include "ddp/backward_sync.h"
#include "ddp/tensor_buffer.h"

namespace lockstep {
namespace {

// The elements of a tensor in the order of a layout; a view if possible.
torch::Tensor flatten_like(const torch::Tensor& layout, torch::Tensor tensor) {
  if (tensor.is_sparse() || tensor.strides() != layout.strides()) {
    tensor = torch::empty_strided(layout.sizes(), layout.strides(), layout.scalar_type())
                 .copy_(tensor.is_sparse() ? tensor.to_dense() : tensor);
  }
  const torch::Tensor flat = tensor.as_strided({tensor.numel()}, {1});
  return flat.is_complex() ? torch::view_as_real(flat).view(-1) : flat;
}

}  // namespace

ParameterSlices::ParameterSlices(Replica& replica) : sync_(replica.sync_) {}
ParameterSlices::~ParameterSlices() {
  if (cut_) {
    sync_->leave_slices();
  }
}

Communicator& ParameterSlices::communicator() const {
  return sync_->communicator;
}
const std::vector<NamedTensor>& ParameterSlices::parameters() const {
  return sync_->parameters.dense;
}
const std::vector<NamedTensor>& ParameterSlices::sparse_parameters() const {
  return sync_->parameters.sparse;
}

void ParameterSlices::cut(bool covers_all) {
  sync_->slice_buckets(covers_all ? Share::kSlice : Share::kWhole);
  cut_ = true;
}

void ParameterSlices::share() {
  sync_->parameter_memory.share();
}

bool ParameterSlices::moved() const {
  return generation_ != sync_->gradients.generation() || moves_ != sync_->parameter_memory.moves();
}

void ParameterSlices::follow() {
  sync_->parameter_memory.follow(sync_->gradients);
  if (!moved()) {
    return;
  }
  generation_ = sync_->gradients.generation();
  moves_ = sync_->parameter_memory.moves();
  slices_.clear();
  for (const GradientBucket& bucket : sync_->gradients.buckets()) {
    slices_.push_back(slice_of(bucket));
  }
}

BucketSlice ParameterSlices::slice_of(const GradientBucket& bucket) const {
  const GradientSync& gradients = sync_->gradients;
  const auto size = static_cast<std::int64_t>(size_of(bucket.values.dtype()));
  BucketSlice slice{.dtype = scalar_type_of(bucket.values.dtype()),
                    .count = static_cast<std::int64_t>(bucket.values.count()) / communicator().size(),
                    .parameters = {},
                    .offsets = {},
                    .pieces = {}};
  const std::int64_t begin = slice.count * communicator().rank();
  for (const BucketGradient& member : bucket.gradients) {
    const std::int64_t offset = (member.values.data() - bucket.values.data()) / size;
    const auto count = static_cast<std::int64_t>(member.values.count());
    slice.parameters.push_back(member.index);
    slice.offsets.push_back(offset);
    const std::int64_t first = std::max(offset, begin);
    const std::int64_t last = std::min(offset + count, begin + slice.count);
    if (first < last) {
      const Buffer slot =
          bucket.values.part(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
      slice.pieces.push_back({.parameter = member.index,
                              .first = first - offset,
                              .offset = first - begin,
                              .values = flat_view(sync_->parameter_memory.beside(slot, gradients),
                                                  sync_->parameter_memory.memory()),
                              .slot = flat_view(slot, gradients.memory())});
    }
  }
  return slice;
}

void ParameterSlices::require_averages() const {
  sync_->require_averages();
}

torch::Tensor ParameterSlices::gradient(const ParameterPiece& piece) const {
  const torch::Tensor& gradient = parameters()[piece.parameter].tensor.grad();
  if (!gradient.defined()) {
    return {};
  }
  const Buffer whole = sync_->gradients.gradient(piece.parameter);
  const bool in_slot = !gradient.is_sparse() && gradient.data_ptr() == whole.data() &&
                       gradient.strides() == sync_->parameter_memory.layout(piece.parameter).strides();
  return in_slot ? piece.slot : elements(piece, gradient.detach());
}

torch::Tensor ParameterSlices::elements(const ParameterPiece& piece, const torch::Tensor& whole) const {
  return flatten_like(sync_->parameter_memory.layout(piece.parameter), whole)
      .narrow(0, piece.first, piece.values.numel());
}

// Earlier pushes advance meanwhile: while one bucket is updated, the other ranks' slices of the previous one arrive.
void ParameterSlices::start_push(std::size_t bucket) {
  const GradientSync& gradients = sync_->gradients;
  const GradientBucket& place = gradients.buckets()[bucket];
  for (const std::size_t parameter : slices_[bucket].parameters) {
    // A graph that still needs the old values must notice, as after any step.
    parameters()[parameter].tensor.unsafeGetTensorImpl()->bump_version();
  }
  if (communicator().size() == 1 || sync_->parameter_memory.shared()) {
    return;
  }
  pushes_.push_back(communicator().start_all_gather(sync_->parameter_memory.beside(place.values, gradients),
                                                    {.label = place.label}));
  pushes_.back().poll();
}

void ParameterSlices::finish_push() {
  for (Work& push : pushes_) {
    push.wait();
  }
  pushes_.clear();
  if (sync_->parameter_memory.shared()) {
    communicator().barrier({.label = "parameters"});
  }
}

std::vector<torch::Tensor> ParameterSlices::split(std::size_t bucket, const torch::Tensor& all) const {
  const BucketSlice& slice = slices_[bucket];
  std::vector<torch::Tensor> tensors;
  for (std::size_t i = 0; i < slice.parameters.size(); ++i) {
    const torch::Tensor& layout = sync_->parameter_memory.layout(slice.parameters[i]);
    torch::Tensor elements = all.narrow(0, slice.offsets[i], layout.numel() * (layout.is_complex() ? 2 : 1));
    if (layout.is_complex()) {
      elements = torch::view_as_complex(elements.view({-1, 2}));
    }
    tensors.push_back(elements.as_strided(layout.sizes(), layout.strides(), elements.storage_offset()));
  }
  return tensors;
}

}  // namespace lockstep
