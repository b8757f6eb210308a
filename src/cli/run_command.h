#pragma once

// `lockstep run`: starts a program as the ranks of this host.

namespace lockstep::cli {

int run_run(int argc, const char* const* argv);

}  // namespace lockstep::cli
