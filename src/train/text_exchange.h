#pragma once

// Text between ranks: sent as one piece, and taken apart into lines.

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep::train {

// Rank 0's text, on every rank. Collective.
std::string broadcast_text(std::string_view text, std::string_view label, Communicator& communicator);

// The texts of all ranks, on every rank. Collective. They have no byte 0.
std::vector<std::string> gather_texts(std::string_view text, std::string_view label,
                                      Communicator& communicator);

// What stands between the line ends; one at the very end begins no further line.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace lockstep::train
