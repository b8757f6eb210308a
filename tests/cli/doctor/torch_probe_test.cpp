#include "cli/doctor/torch_probe.h"

#include <gtest/gtest.h>

#include "base/temp_dir.h"

namespace lockstep::doctor {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

class TorchProbe : public testing::Test {
 protected:
  TorchFacts run(const std::string& script, std::chrono::nanoseconds patience = 60s) {
    const auto probe = folder_.write("probe", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(probe, std::filesystem::perms::owner_all);
    return run_torch_probe(probe, patience);
  }

  TempDir folder_;
};

TEST_F(TorchProbe, IsAbsentWithoutAProgram) {
  EXPECT_EQ(run_torch_probe({}).outcome, TorchProbeOutcome::kAbsent);
}

TEST_F(TorchProbe, AnswersWithWhatTheHelperPrints) {
  const TorchFacts facts =
      run("echo '{\"version\":\"2.13.0\",\"compiled_version\":\"2.13.1\",\"blas\":\"MKL\",\"cpu_capability\":"
          "\"AVX2\",\"parallel_backend\":\"OpenMP\",\"threads\":4,\"interop_threads\":2,\"gemm_gflops\":62.5,"
          "\"cuda\":true,\"cuda_devices\":1,\"gloo\":true,\"of the future\":0}'");
  ASSERT_EQ(facts.outcome, TorchProbeOutcome::kAnswered) << facts.trouble;
  EXPECT_EQ(facts.info.version, "2.13.0");
  EXPECT_EQ(facts.info.compiled_version, "2.13.1");
  EXPECT_EQ(facts.info.blas, "MKL");
  EXPECT_EQ(facts.info.cpu_capability, "AVX2");
  EXPECT_EQ(facts.info.parallel_backend, "OpenMP");
  EXPECT_EQ(facts.info.threads, 4);
  EXPECT_EQ(facts.info.gemm_gflops, 62.5);
  EXPECT_TRUE(facts.info.gloo);
}

TEST_F(TorchProbe, FailsWithTheLastWordsOfTheHelper) {
  const TorchFacts facts = run("echo noise >&2; echo 'probe: libtorch.so: cannot open' >&2; exit 127");
  EXPECT_EQ(facts.outcome, TorchProbeOutcome::kFailed);
  EXPECT_EQ(facts.trouble, "the libtorch probe exited with code 127: probe: libtorch.so: cannot open");
}

TEST_F(TorchProbe, FailsWithTheSignalOfASilentCrash) {
  const TorchFacts facts = run("kill -ILL $$");
  EXPECT_EQ(facts.outcome, TorchProbeOutcome::kFailed);
  EXPECT_EQ(facts.trouble.rfind("the libtorch probe was killed by SIGILL", 0), 0U) << facts.trouble;
}

TEST_F(TorchProbe, CutsEndlessLastWords) {
  const TorchFacts facts = run("printf 'x%.0s' $(seq 2000) >&2; exit 1");
  EXPECT_EQ(facts.trouble, "the libtorch probe exited with code 1: " + std::string(400, 'x'));
}

TEST_F(TorchProbe, FailsWhenItTakesTooLong) {
  const TorchFacts facts = run("exec sleep 600", 50ms);
  EXPECT_EQ(facts.outcome, TorchProbeOutcome::kFailed);
  EXPECT_EQ(facts.trouble, "the libtorch probe did not end within 50.0 ms");
}

TEST_F(TorchProbe, FailsWhenItPrintsSomethingElse) {
  for (const char* script : {"true", "echo hello", "echo '{}'", "echo '[1]'", "echo '{\"version\": 3}'"}) {
    const TorchFacts facts = run(script);
    EXPECT_EQ(facts.outcome, TorchProbeOutcome::kFailed) << script;
    EXPECT_EQ(facts.trouble.rfind("the libtorch probe did not print what it should: ", 0), 0U)
        << facts.trouble;
  }
}

TEST_F(TorchProbe, FailsWhenItCannotBeStarted) {
  const TorchFacts facts = run_torch_probe(folder_.path() / "missing");
  EXPECT_EQ(facts.outcome, TorchProbeOutcome::kFailed);
  EXPECT_EQ(facts.trouble.rfind("the libtorch probe could not be run: ", 0), 0U) << facts.trouble;
}

}  // namespace
}  // namespace lockstep::doctor
