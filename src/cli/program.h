#pragma once

// The lockstep program: finds the command named by its first argument and runs it.

namespace lockstep::cli {

// Returns the exit code of main(). Prints errors; throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace lockstep::cli
