#pragma once

// Which Python has the PyTorch to compare with.

#include <filesystem>

namespace lockstep::bench::step {

// The interpreter of the environment whose PyTorch `torch_folder` is (".../lib/python3.11/site-packages/torch");
// empty when it is none, as with a libtorch of its own.
std::filesystem::path python_beside(const std::filesystem::path& torch_folder);

// The one beside the libtorch that this lockstep was built with.
std::filesystem::path find_python();

}  // namespace lockstep::bench::step
