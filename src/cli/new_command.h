#pragma once

// `lockstep new FOLDER`: makes a project for a user's own training program, which builds and trains as it is.

namespace lockstep::cli {

int run_new(int argc, const char* const* argv);

}  // namespace lockstep::cli
