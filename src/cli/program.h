#pragma once

// The lockstep program: finds the command that its first argument names and runs it.

namespace lockstep::cli {

// What main() returns. Prints errors; throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace lockstep::cli
