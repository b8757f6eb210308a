#pragma once

// What every backend must do, as functions that each rank of a group runs. tests/comm/conformance_test.cpp runs
// them over the backends of the core; a backend elsewhere runs them from its own test.

#include <cstddef>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep::testing {

struct ConformanceSizes {
  std::vector<std::size_t> lengths;  // in elements, of a part where there are parts
  bool every_type = true;            // otherwise f32, bf16 and i8
};

void check_reductions(Communicator& communicator, const ConformanceSizes& sizes);
void check_data_movement(Communicator& communicator, const ConformanceSizes& sizes);
void check_all_to_all_v(Communicator& communicator);
void check_messages(Communicator& communicator);
void check_several_in_flight(Communicator& communicator);
void check_shared_memory(Communicator& communicator);
void check_groups(Communicator& communicator);
void check_arguments(Communicator& communicator);
void check_observers(Communicator& communicator);
void check_forked_child(Communicator& communicator);

}  // namespace lockstep::testing
