#pragma once

// LOCKSTEP_CHECK(condition): an invariant that only a bug in Lockstep can break; throws Error{kInternal} with the
// location. Never for errors that a user can cause: those get an Error with its own message.

#include "lockstep/error.h"

namespace lockstep {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace lockstep

#define LOCKSTEP_CHECK(condition)                               \
  do {                                                          \
    if (!(condition)) {                                         \
      ::lockstep::check_failed(#condition, __FILE__, __LINE__); \
    }                                                           \
  } while (false)
