#pragma once

// What an optimizer that is spread over the ranks sees of a replica: this rank's slice of every bucket, as pieces of
// parameters with their gradients, and the way in which updated slices reach all other replicas.

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/bucket_reduction.h"
#include "lockstep/replica.h"
#include "lockstep/work.h"

namespace lockstep {

// What this rank owns of a parameter; at most one piece of each. Elements are those in memory, and real: complex
// numbers are pairs.
struct ParameterPiece {
  std::size_t parameter = 0;
  std::int64_t first = 0;   // of its elements
  std::int64_t offset = 0;  // in this rank's slice of the bucket
  torch::Tensor values;     // one dimension
  torch::Tensor slot;       // where its gradient usually is, likewise
};

struct BucketSlice {
  torch::ScalarType dtype = torch::kFloat;
  std::int64_t count = 0;               // elements of the slice of each rank
  std::vector<std::size_t> parameters;  // all of the bucket
  std::vector<std::int64_t> offsets;    // where each begins in the bucket
  std::vector<ParameterPiece> pieces;   // those of this rank, in order
};

class ParameterSlices {
 public:
  // Keeps what it needs of the replica alive; module and world must outlive it, as they do the replica.
  explicit ParameterSlices(Replica& replica);
  ParameterSlices(const ParameterSlices&) = delete;
  ParameterSlices& operator=(const ParameterSlices&) = delete;
  ~ParameterSlices();

  Communicator& communicator() const;
  // The trained parameters with dense gradients, and those with sparse ones.
  const std::vector<NamedTensor>& parameters() const;
  const std::vector<NamedTensor>& sparse_parameters() const;

  // Once: cuts the buckets. Backward leaves only slices of averages when this optimizer alone `covers_all` parameters, and
  // whole ones again when it is gone. Collective.
  void cut(bool covers_all);
  // All ranks of the host are to have the same parameters in memory, from the next follow() on.
  void share();
  // Whether buckets or parameters have moved since the last follow(). The same on all ranks.
  bool moved() const;
  // Moves the parameters along. Collective: when it returns, no rank needs the values from before. Tensors of the
  // slices before stay valid.
  void follow();
  const std::vector<BucketSlice>& slices() const { return slices_; }

  // Throws where a `.grad` is not the average it should be; see GradientSlots.
  void require_averages() const;
  // The elements of `.grad` that belong to a piece; undefined when there is no gradient.
  torch::Tensor gradient(const ParameterPiece& piece) const;
  // The elements of a tensor shaped like the parameter that belong to a piece.
  torch::Tensor elements(const ParameterPiece& piece, const torch::Tensor& whole) const;

  // Sends the updated slice of a bucket on its way to all replicas, unless they are one; finish_push() waits until
  // all ranks have all slices. Collective.
  void start_push(std::size_t bucket);
  void finish_push();
  // What ranks keep beside their slices of a bucket, all of it, as tensors shaped like its parameters: views.
  std::vector<torch::Tensor> split(std::size_t bucket, const torch::Tensor& all) const;

 private:
  BucketSlice slice_of(const GradientBucket& bucket) const;

  std::shared_ptr<BackwardSync> sync_;
  bool cut_ = false;
  std::optional<std::uint64_t> generation_;  // of the gradients, at the last follow()
  std::uint64_t moves_ = 0;                  // of the parameters, likewise
  std::vector<BucketSlice> slices_;
  std::vector<Work> pushes_;
};

}  // namespace lockstep
