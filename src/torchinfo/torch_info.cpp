#include "lockstep/torch_info.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

#include "torchinfo/gemm_speed.h"
#include "torchinfo/torch_config.h"

namespace lockstep {

TorchInfo inspect_torch() {
  const std::string config = at::show_config();
  TorchInfo info;
  info.version = torch_config_value(config, "TORCH_VERSION");
  info.compiled_version = TORCH_VERSION;
  info.blas = blas_name(torch_config_value(config, "BLAS_INFO"));
  info.cpu_capability = at::get_cpu_capability();
  info.parallel_backend = parallel_backend_name(at::get_parallel_info());
  info.threads = at::get_num_threads();
  info.interop_threads = static_cast<int>(at::get_num_interop_threads());
  info.gemm_gflops = measure_gemm_gflops();
  info.cuda_devices = static_cast<int>(torch::cuda::device_count());
  info.cuda = info.cuda_devices > 0;
  info.gloo = torch_config_value(config, "USE_GLOO") == "ON";
  return info;
}

std::string to_json_text(const TorchInfo& info) {
  const nlohmann::ordered_json json = {
      {"version", info.version},
      {"compiled_version", info.compiled_version},
      {"blas", info.blas},
      {"cpu_capability", info.cpu_capability},
      {"parallel_backend", info.parallel_backend},
      {"threads", info.threads},
      {"interop_threads", info.interop_threads},
      {"gemm_gflops", info.gemm_gflops},
      {"cuda", info.cuda},
      {"cuda_devices", info.cuda_devices},
      {"gloo", info.gloo},
  };
  return json.dump();
}

}  // namespace lockstep
