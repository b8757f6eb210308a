#pragma once

// `lockstep doctor`: one page that says whether this machine is fit for multi-process training. Exits with 1 when it
// found a problem.

namespace lockstep::cli {

int run_doctor(int argc, const char* const* argv);

}  // namespace lockstep::cli
