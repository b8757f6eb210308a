#pragma once

// Exchanges text between ranks, and splits it into lines.

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep::train {

// Rank 0's text, on every rank. Collective.
std::string broadcast_text(std::string_view text, std::string_view label, Communicator& communicator);

// The texts of all ranks, on every rank. Collective. They must not contain NUL bytes.
std::vector<std::string> gather_texts(std::string_view text, std::string_view label,
                                      Communicator& communicator);

// Splits at newlines; a newline at the end starts no further line.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace lockstep::train
