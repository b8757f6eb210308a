#pragma once

// `lockstep inspect FOLDER`: the contents of a checkpoint: step, files, tensors, texts.

namespace lockstep::cli {

int run_inspect(int argc, const char* const* argv);

}  // namespace lockstep::cli
