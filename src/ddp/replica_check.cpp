#include "ddp/replica_check.h"

#include <c10/util/StringUtil.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "lockstep/error.h"

namespace lockstep {
namespace {

std::int64_t hash_of(const void* data, std::size_t bytes) {
  return static_cast<std::int64_t>(XXH3_64bits(data, bytes));
}

std::vector<std::int64_t> hashes_of(const std::vector<NamedTensor>& tensors) {
  const torch::NoGradGuard no_grad;
  std::vector<std::int64_t> hashes;
  for (const NamedTensor& named : tensors) {
    const torch::Tensor packed =
        named.tensor.is_non_overlapping_and_dense() ? named.tensor : named.tensor.contiguous();
    hashes.push_back(hash_of(packed.data_ptr(), packed.nbytes()));
  }
  return hashes;
}

// Gathers the values of all ranks, in rank order.
std::vector<std::int64_t> gather(const std::vector<std::int64_t>& mine, Communicator& communicator) {
  std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(mine, all, {.label = "check replicas"});
  return all;
}

bool all_equal(std::span<const std::int64_t> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

// "rank 1" or "ranks 0, 2"
std::string ranks_text(const std::vector<int>& ranks) {
  return c10::str(ranks.size() == 1 ? "rank " : "ranks ", c10::Join(", ", ranks));
}

// "ranks 0, 2 hold one value, rank 1 another"
std::string sides_text(const std::vector<std::int64_t>& hashes) {
  std::vector<int> like_first;
  std::vector<int> others;
  for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
    (hashes[rank] == hashes[0] ? like_first : others).push_back(static_cast<int>(rank));
  }
  return c10::str(ranks_text(like_first), like_first.size() == 1 ? " holds" : " hold", " one value, ",
                  ranks_text(others), others.size() == 1 ? " another" : " others");
}

[[noreturn]] void throw_difference(const std::vector<NamedTensor>& tensors,
                                   const std::vector<std::int64_t>& all, int rank) {
  const std::size_t ranks = all.size() / tensors.size();
  std::string first;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::vector<std::int64_t> hashes;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      hashes.push_back(all[peer * tensors.size() + i]);
    }
    if (all_equal(hashes)) {
      continue;
    }
    ++differing;
    if (first.empty()) {
      first = c10::str("'", tensors[i].name, "': ", sides_text(hashes));
    }
  }
  throw Error(
      ErrorCode::kMismatch,
      c10::str("the replicas differ in ", differing, " of ", tensors.size(), " parameters, first in ", first,
               ". A rank that skips optimizer.step(), or writes to parameters outside of write_parameters(), "
               "causes this"))
      .with_operation("check_replicas")
      .with_rank(rank);
}

}  // namespace

void require_equal_bits(const std::vector<NamedTensor>& tensors, Communicator& communicator) {
  if (communicator.size() == 1) {
    return;
  }
  const std::vector<std::int64_t> hashes = hashes_of(tensors);
  const std::int64_t total = hash_of(hashes.data(), hashes.size() * sizeof(std::int64_t));
  if (!all_equal(gather({total}, communicator))) {
    throw_difference(tensors, gather(hashes, communicator), communicator.rank());
  }
}

}  // namespace lockstep
