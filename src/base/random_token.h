#pragma once

// A name that cannot be guessed: for a job, a socket, a group of workers.

#include <string>

namespace lockstep {

// 128 random bits as hexadecimal digits.
std::string random_token();

}  // namespace lockstep
