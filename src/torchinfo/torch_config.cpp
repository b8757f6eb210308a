#include "torchinfo/torch_config.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep {
namespace {

// The names that libtorch's own FindBLAS writes into BLAS_INFO.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kBlasNames = {{
    {"mkl", "MKL"},
    {"open", "OpenBLAS"},
    {"nvpl", "NVPL"},
    {"accelerate", "Accelerate"},
    {"veclib", "vecLib"},
    {"aocl", "AOCL-BLIS"},
    {"flame", "FLAME"},
    {"atlas", "ATLAS"},
    {"goto", "GotoBLAS"},
    {"generic", "reference BLAS"},
}};

// The boundary keeps LAPACK_INFO from being found inside NO_LAPACK_INFO.
bool starts_a_key(std::string_view config, std::size_t at) {
  return at == 0 || config[at - 1] == ' ' || config[at - 1] == ',';
}

}  // namespace

std::string torch_config_value(std::string_view config, std::string_view key) {
  const std::string wanted = std::string(key) + "=";
  auto at = config.find(wanted);
  while (at != std::string_view::npos && !starts_a_key(config, at)) {
    at = config.find(wanted, at + 1);
  }
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view value = config.substr(at + wanted.size());
  return std::string(value.substr(0, value.find_first_of(",\n")));
}

std::string blas_name(std::string_view blas_info) {
  if (blas_info.empty()) {
    return "none";
  }
  const auto* found = std::find_if(kBlasNames.begin(), kBlasNames.end(),
                                   [blas_info](const auto& entry) { return entry.first == blas_info; });
  return std::string(found != kBlasNames.end() ? found->second : blas_info);
}

std::string parallel_backend_name(std::string_view parallel_info) {
  constexpr std::string_view kLabel = "ATen parallel backend: ";
  const auto at = parallel_info.find(kLabel);
  if (at == std::string_view::npos) {
    return "unknown";
  }
  const std::string_view value = parallel_info.substr(at + kLabel.size());
  return std::string(value.substr(0, value.find('\n')));
}

}  // namespace lockstep
