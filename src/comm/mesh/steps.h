#pragma once

// What one rank does in a collective that is too large to come with its announcement, as plain data.
//
// Reductions do not use the carrier's own: every rank gets its slice of all inputs, combines them in the one fixed
// order, and the results go where they belong. So a result has the same bits over every transport. Long ones go in
// chunks: while one is combined, which is quick as long as it lies in the cache, the next is on its way.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/operation.h"

namespace lockstep::mesh {

enum class Area : std::uint8_t { kInput, kOutput, kStaging };

struct Spot {
  Area area = Area::kInput;
  std::size_t offset = 0;
};

// Steps begin one after the other. Exchanges and spreads start a flight and do not wait for it; a step that depends
// on flights says how many.
struct Step {
  enum class Kind : std::uint8_t {
    kCopy,  // `bytes` from `from` to `to`
    // Combines a piece of `bytes` of every rank into `to`: the pieces lie one after the other at `from`, but this
    // rank's is taken from `own`.
    kReduce,
    kExchange,  // the parts at `from` to each rank, the parts from each rank to `to`
    kSpread,    // `bytes` at `from` on the root to `to` on all others
  };

  Kind kind = Kind::kCopy;
  std::size_t needs = 0;  // it begins when so many flights have landed, counted from the first
  Spot from;
  Spot to;
  Spot own;  // kReduce
  std::size_t bytes = 0;
  int root = -1;
  std::vector<std::size_t> sent;      // bytes for each rank
  std::vector<std::size_t> received;  // bytes from each rank
};

// One collective on one rank.
struct Undertaking {
  OperationKind kind = OperationKind::kBarrier;
  int ranks = 1;
  int rank = 0;
  int root = -1;
  std::size_t bytes = 0;              // what each rank contributes: Operation::count elements
  std::size_t chunk_bytes = 4 << 20;  // a multiple of 64, equal on all ranks
  // all_gather: the input is where it belongs in the output; all_to_all: it is the output
  bool in_place = false;
  // all_to_all_v: bytes from rank i to rank j at [i * ranks + j]
  std::span<const std::size_t> matrix = {};
};

std::vector<Step> steps_of(const Undertaking& undertaking);
// How much staging memory the steps use.
std::size_t staging_bytes(const Undertaking& undertaking);

}  // namespace lockstep::mesh
