#include "ddp/first_rank.h"

#include <cstdint>
#include <span>

namespace lockstep {

int first_rank_where(bool here, Communicator& communicator, std::string_view label) {
  std::int32_t rank = here ? communicator.rank() : communicator.size();
  communicator.all_reduce(std::span(&rank, 1), ReduceOp::kMin, {.label = label});
  return rank;
}

}  // namespace lockstep
