#include "torchinfo/torch_config.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

constexpr const char* kConfig =
    "PyTorch built with:\n"
    "  - C++ Version: 202002\n"
    "  - Build settings: BLAS_INFO=mkl, CXX_FLAGS= -O2 -DX=1, NO_LAPACK_INFO=wrong, LAPACK_INFO=right, "
    "TORCH_VERSION=2.13.0, USE_CUDA=0, \n";

TEST(TorchConfig, FindsTheValueOfAKey) {
  EXPECT_EQ(torch_config_value(kConfig, "BLAS_INFO"), "mkl");
  EXPECT_EQ(torch_config_value(kConfig, "TORCH_VERSION"), "2.13.0");
  EXPECT_EQ(torch_config_value(kConfig, "USE_CUDA"), "0");
}

TEST(TorchConfig, DoesNotMistakeTheEndOfAnotherKeyForAKey) {
  EXPECT_EQ(torch_config_value(kConfig, "LAPACK_INFO"), "right");
  EXPECT_EQ(torch_config_value(kConfig, "INFO"), "");
}

TEST(TorchConfig, KeepsSpacesInsideAValue) {
  EXPECT_EQ(torch_config_value(kConfig, "CXX_FLAGS"), " -O2 -DX=1");
}

TEST(TorchConfig, AnswersNothingForAMissingKeyOrAnEmptyPage) {
  EXPECT_EQ(torch_config_value(kConfig, "USE_NCCL"), "");
  EXPECT_EQ(torch_config_value("", "USE_NCCL"), "");
  EXPECT_EQ(torch_config_value("USE_NCCL", "USE_NCCL"), "");
}

TEST(TorchConfig, EndsTheLastValueAtTheEndOfTheText) {
  EXPECT_EQ(torch_config_value("A=1", "A"), "1");
  EXPECT_EQ(torch_config_value("A=1\nB=2", "A"), "1");
  EXPECT_EQ(torch_config_value("A=", "A"), "");
}

TEST(BlasName, IsTheNameItsMakersUse) {
  EXPECT_EQ(blas_name("mkl"), "MKL");
  EXPECT_EQ(blas_name("open"), "OpenBLAS");
  EXPECT_EQ(blas_name("generic"), "reference BLAS");
}

TEST(BlasName, KeepsANameItDoesNotKnow) {
  EXPECT_EQ(blas_name("superblas"), "superblas");
}

TEST(BlasName, IsNoneWhenLibtorchNamesNone) {
  EXPECT_EQ(blas_name(""), "none");
}

TEST(ParallelBackendName, IsTheRestOfItsLine) {
  EXPECT_EQ(parallel_backend_name("threads : 2\nATen parallel backend: native thread pool\nmore\n"),
            "native thread pool");
  EXPECT_EQ(parallel_backend_name("ATen parallel backend: OpenMP"), "OpenMP");
}

TEST(ParallelBackendName, IsUnknownWithoutTheLine) {
  EXPECT_EQ(parallel_backend_name("ATen/Parallel:\n"), "unknown");
}

}  // namespace
}  // namespace lockstep
