#pragma once

// Text between ranks.

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep::train {

// Rank 0's text, on every rank. Collective.
std::string broadcast_text(std::string_view text, std::string_view label, Communicator& communicator);

// A short text of every rank, cut to 64 bytes, on every rank. Collective.
std::vector<std::string> gather_texts(std::string_view text, std::string_view label,
                                      Communicator& communicator);

}  // namespace lockstep::train
