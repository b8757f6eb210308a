#pragma once

// Finds the Python whose PyTorch is compared.

#include <filesystem>

namespace lockstep::bench::step {

// The interpreter of the environment that contains the PyTorch in `torch_folder`
// (".../lib/python3.11/site-packages/torch"); empty if there is none, as with a separate libtorch.
std::filesystem::path python_beside(const std::filesystem::path& torch_folder);

// The interpreter next to the libtorch that this lockstep was built with.
std::filesystem::path find_python();

}  // namespace lockstep::bench::step
