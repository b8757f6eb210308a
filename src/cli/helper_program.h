#pragma once

// The programs that lockstep starts for what it cannot do itself, being free of libtorch and MPI. An
// installation keeps them in its libexec folder.

#include <filesystem>
#include <string_view>

namespace lockstep::cli {

// Where the helper lies, seen from the folder of this program; empty when it is not there.
std::filesystem::path find_helper_program(std::string_view name);

}  // namespace lockstep::cli
