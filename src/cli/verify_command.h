#pragma once

// `lockstep verify FOLDER...`: whether checkpoints are undamaged, and if not, everything wrong with them. Exits with 1
// when one is damaged.

namespace lockstep::cli {

int run_verify(int argc, const char* const* argv);

}  // namespace lockstep::cli
