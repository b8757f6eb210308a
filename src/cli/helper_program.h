#pragma once

// The programs that lockstep runs for tasks that need libtorch or MPI, with which it is not linked itself. They are
// installed in the libexec folder.

#include <filesystem>
#include <string_view>

namespace lockstep::cli {

// The path of the helper, relative to the folder of this program; empty if it does not exist.
std::filesystem::path find_helper_program(std::string_view name);

}  // namespace lockstep::cli
