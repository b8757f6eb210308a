#pragma once

// `lockstep new FOLDER`: creates a project for a user's own training program, which builds and trains without changes.

namespace lockstep::cli {

int run_new(int argc, const char* const* argv);

}  // namespace lockstep::cli
