#pragma once

// A name that nobody guesses: for the socket of a run and for the group of its workers.

#include <string>

namespace lockstep::bench {

// 128 random bits as hexadecimal digits.
std::string random_token();

}  // namespace lockstep::bench
