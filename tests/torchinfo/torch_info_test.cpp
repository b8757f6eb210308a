#include "lockstep/torch_info.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

TEST(InspectTorch, RunsTheVersionItWasCompiledWith) {
  const TorchInfo info = inspect_torch();
  EXPECT_EQ(info.compiled_version, TORCH_VERSION);
  EXPECT_EQ(info.version.rfind(TORCH_VERSION, 0), 0U) << info.version;
}

TEST(InspectTorch, NamesTheLibrariesAndMeasuresThem) {
  const TorchInfo info = inspect_torch();
  EXPECT_NE(info.blas, "");
  EXPECT_NE(info.cpu_capability, "");
  EXPECT_NE(info.parallel_backend, "unknown");
  EXPECT_GT(info.gemm_gflops, 0.0);
}

TEST(InspectTorch, SeesTheThreadsAndLeavesThemAsTheyWere) {
  at::set_num_threads(3);
  EXPECT_EQ(inspect_torch().threads, 3);
  EXPECT_EQ(at::get_num_threads(), 3);
}

TEST(TorchInfoJson, HasEveryFieldOnOneLine) {
  const TorchInfo info{.version = "2.13.0+cpu",
                       .compiled_version = "2.13.0",
                       .blas = "MKL",
                       .cpu_capability = "AVX2",
                       .parallel_backend = "OpenMP",
                       .threads = 4,
                       .interop_threads = 2,
                       .gemm_gflops = 62.5,
                       .cuda = true,
                       .cuda_devices = 1,
                       .gloo = true};
  EXPECT_EQ(to_json_text(info),
            R"({"version":"2.13.0+cpu","compiled_version":"2.13.0","blas":"MKL","cpu_capability":"AVX2",)"
            R"("parallel_backend":"OpenMP","threads":4,"interop_threads":2,"gemm_gflops":62.5,"cuda":true,)"
            R"("cuda_devices":1,"gloo":true})");
}

TEST(TorchInfoJson, EscapesWhatLibtorchSays) {
  TorchInfo info;
  info.blas = "odd \"name\"\n";
  EXPECT_EQ(nlohmann::json::parse(to_json_text(info)).at("blas"), info.blas);
}

}  // namespace
}  // namespace lockstep
