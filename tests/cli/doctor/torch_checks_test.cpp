#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/healthy_facts.h"

namespace lockstep::doctor {
namespace {

Check torch_check(const Facts& facts, std::string_view name) {
  return check_named(judge_torch(facts), name);
}

TEST(Libtorch, IsDescribedWhenItAnswered) {
  const Check check = torch_check(healthy_facts(), "libtorch");
  EXPECT_EQ(check.status, Status::kOk);
  EXPECT_EQ(check.seen, "2.13.0, AVX2 kernels, with Gloo");
}

TEST(Libtorch, IsAWarningWhenLockstepWasBuiltWithoutIt) {
  Facts facts = healthy_facts();
  facts.torch = {};
  ASSERT_EQ(judge_torch(facts).size(), 1U);
  const Check check = torch_check(facts, "libtorch");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "this lockstep was built without it");
  EXPECT_EQ(check.advice,
            "The torch-free core works. To train torch modules, run tools/bootstrap and build with "
            "-DLOCKSTEP_WITH_TORCH=ON.");
}

TEST(Libtorch, IsAProblemWhenTheProbeFailed) {
  Facts facts = healthy_facts();
  facts.torch.outcome = TorchProbeOutcome::kFailed;
  facts.torch.trouble = "the libtorch probe was killed by SIGILL";
  ASSERT_EQ(judge_torch(facts).size(), 1U);
  const Check check = torch_check(facts, "libtorch");
  EXPECT_EQ(check.status, Status::kProblem);
  EXPECT_EQ(check.seen, "the libtorch probe was killed by SIGILL");
  EXPECT_EQ(check.advice,
            "Programs built with Lockstep will fail the same way. Check that the libtorch that Lockstep was "
            "built with is still in its place, or build again.");
}

TEST(Libtorch, IsAProblemWhenItIsNotTheOneWeWereCompiledFor) {
  Facts facts = healthy_facts();
  facts.torch.info.version = "2.12.1+cpu";
  const Check check = torch_check(facts, "libtorch");
  EXPECT_EQ(check.status, Status::kProblem);
  EXPECT_EQ(check.seen, "2.12.1+cpu was loaded, but Lockstep was compiled for 2.13.0");
}

TEST(Libtorch, FitsWhateverItsBuildTag) {
  Facts facts = healthy_facts();
  facts.torch.info.version = "2.13.0+cu128";
  EXPECT_EQ(torch_check(facts, "libtorch").status, Status::kOk);
}

TEST(Libtorch, WarnsWhenItDoesNotUseWhatTheProcessorHas) {
  Facts facts = healthy_facts();
  facts.torch.info.cpu_capability = "DEFAULT";
  const Check check = torch_check(facts, "libtorch");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.advice, "This processor has AVX2, which libtorch does not use. Unset ATEN_CPU_CAPABILITY.");
  facts.processor.features = {"asimd"};
  EXPECT_EQ(torch_check(facts, "libtorch").status, Status::kOk);
}

TEST(Blas, IsJudgedByItsSpeedNotItsName) {
  Facts facts = healthy_facts();
  EXPECT_EQ(torch_check(facts, "BLAS").seen, "MKL, 62 GFLOP/s on one core");
  facts.torch.info.gemm_gflops = 1.94;
  const Check check = torch_check(facts, "BLAS");
  EXPECT_EQ(check.status, Status::kProblem);
  EXPECT_EQ(check.seen, "MKL, 1.9 GFLOP/s on one core");
  EXPECT_EQ(
      check.advice,
      "That is the speed of a plain loop, and training is mostly matrix products. Use a libtorch with MKL "
      "or OpenBLAS: tools/bootstrap installs one.");
}

TEST(Blas, IsAWarningBetweenNaiveAndTuned) {
  Facts facts = healthy_facts();
  for (const double gflops : {3.0, 9.9}) {
    facts.torch.info.gemm_gflops = gflops;
    EXPECT_EQ(torch_check(facts, "BLAS").status, Status::kWarning) << gflops;
  }
  EXPECT_EQ(
      torch_check(facts, "BLAS").advice,
      "A tuned BLAS reaches more than 10 on most cores. Look again when the machine is idle; if it stays "
      "so, use a libtorch with MKL or OpenBLAS: tools/bootstrap installs one.");
  facts.torch.info.gemm_gflops = 10;
  EXPECT_EQ(torch_check(facts, "BLAS").status, Status::kOk);
}

TEST(Threads, AreDescribed) {
  Facts facts = healthy_facts();
  EXPECT_EQ(torch_check(facts, "threads").seen, "8 in a process (OpenMP)");
  facts.torch.omp_num_threads = "8";
  EXPECT_EQ(torch_check(facts, "threads").seen, "8 in a process (OpenMP), OMP_NUM_THREADS=8");
  EXPECT_EQ(torch_check(facts, "threads").status, Status::kOk);
  facts.torch.omp_num_threads = " 4,2";
  EXPECT_EQ(torch_check(facts, "threads").status, Status::kOk);
}

TEST(Threads, WarnsOfMoreThanTheUsableCores) {
  Facts facts = healthy_facts();
  facts.torch.omp_num_threads = "2";
  facts.processor.affinity_cores = 1;
  const Check check = torch_check(facts, "threads");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(
      check.advice,
      "More threads than the 1 usable core only slow each other down. Unset OMP_NUM_THREADS, or set it to "
      "cores / ranks.");
}

TEST(Threads, WarnsOfAVariableThatIsNoNumber) {
  Facts facts = healthy_facts();
  for (const char* value : {"", "0", "-1", "many"}) {
    facts.torch.omp_num_threads = value;
    EXPECT_EQ(torch_check(facts, "threads").status, Status::kWarning) << value;
    EXPECT_EQ(torch_check(facts, "threads").advice,
              "OMP_NUM_THREADS is not a positive number. Unset it, or set it to cores / ranks.");
  }
}

}  // namespace
}  // namespace lockstep::doctor
