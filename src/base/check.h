#pragma once

// LOCKSTEP_CHECK(condition): an invariant that only a bug in Lockstep can break; throws Error{kInternal} with
// the place. Never for something a user can cause: that gets an Error with words of its own.

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
