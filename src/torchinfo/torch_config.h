#pragma once

// Extracts single facts from the output of at::show_config(); libtorch offers no other way to query the library that is
// running (its macros describe the headers).

#include <string>
#include <string_view>

namespace lockstep {

// The value of KEY in "..., KEY=value, ..."; empty if the key is missing. Values end at the next comma.
std::string torch_config_value(std::string_view config, std::string_view key);

// BLAS_INFO as its vendors spell it: "mkl" is "MKL", "open" is "OpenBLAS", nothing is "none".
std::string blas_name(std::string_view blas_info);

// The value of the "ATen parallel backend: ..." line of at::get_parallel_info(); "unknown" without one.
std::string parallel_backend_name(std::string_view parallel_info);

}  // namespace lockstep
