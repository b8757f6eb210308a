#pragma once

// What a sharded optimizer sees of a replica: this rank's slice of every bucket, as pieces of parameters with their
// gradients. Also pushes updated slices to all other replicas.

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

// The part of a parameter that this rank owns; at most one piece of each. Elements are those in memory, and real:
// complex numbers are pairs.
struct ParameterPiece {
  std::size_t parameter = 0;
  std::int64_t first = 0;   // of its elements
  std::int64_t offset = 0;  // in this rank's slice of the bucket
  torch::Tensor values;     // one dimension
  torch::Tensor slot;       // the usual place of its gradient, likewise
};

struct BucketSlice {
  torch::ScalarType dtype = torch::kFloat;
  std::int64_t count = 0;               // elements of the slice of each rank
  std::vector<std::size_t> parameters;  // all parameters of the bucket
  std::vector<std::int64_t> offsets;    // the offset of each in the bucket
  std::vector<ParameterPiece> pieces;   // of this rank, in order
};

class ParameterSlices {
 public:
  // Keeps alive what it needs of the replica. Module and world must outlive it, as they must outlive the replica.
  explicit ParameterSlices(Replica& replica);
  ParameterSlices(const ParameterSlices&) = delete;
  ParameterSlices& operator=(const ParameterSlices&) = delete;
  ~ParameterSlices();

  Communicator& communicator() const;
  // The trained parameters with dense gradients, and those with sparse ones.
  const std::vector<NamedTensor>& parameters() const;
  const std::vector<NamedTensor>& sparse_parameters() const;

  // Called once: cuts the buckets. Backward leaves only slices of averages if this optimizer alone `covers_all`
  // parameters, and whole averages again after it is destroyed. Collective.
  void cut(bool covers_all);
  // All ranks of the host share one copy of the parameters, from the next follow() on.
  void share();
  // Whether buckets or parameters have moved since the last follow(). The same on all ranks.
  bool moved() const;
  // Moves the parameters along. Collective: when it returns, no rank needs the old values. Tensors of the previous
  // slices stay valid.
  void follow();
  const std::vector<BucketSlice>& slices() const { return slices_; }

  // Throws where a `.grad` is not a proper average; see GradientSlots.
  void require_averages() const;
  // The elements of `.grad` that belong to a piece; undefined if there is no gradient.
  torch::Tensor gradient(const ParameterPiece& piece) const;
  // The elements of a tensor shaped like the parameter that belong to a piece.
  torch::Tensor elements(const ParameterPiece& piece, const torch::Tensor& whole) const;

  // Starts to push the updated slice of a bucket to all replicas, unless they share memory; finish_push() waits until
  // all ranks have all slices. Collective.
  void start_push(std::size_t bucket);
  void finish_push();
  // Splits what all ranks keep for their slices of a bucket into tensors shaped like its parameters. They are views.
  std::vector<torch::Tensor> split(std::size_t bucket, const torch::Tensor& all) const;

 private:
  BucketSlice slice_of(const GradientBucket& bucket) const;

  std::shared_ptr<BackwardSync> sync_;
  bool cut_ = false;
  std::optional<std::uint64_t> generation_;  // of the gradients at the last follow()
  std::uint64_t moves_ = 0;                  // of the parameters, likewise
  std::vector<BucketSlice> slices_;
  std::vector<Work> pushes_;
};

}  // namespace lockstep
