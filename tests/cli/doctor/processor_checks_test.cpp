#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/healthy_facts.h"

namespace lockstep::doctor {
namespace {

Check processor_check(const Facts& facts, std::string_view name) {
  return check_named(judge_processor(facts), name);
}

TEST(ProcessorModel, NamesTheWidestVectorInstructions) {
  Facts facts = healthy_facts();
  EXPECT_EQ(processor_check(facts, "model").seen, "Example CPU 9000, with AVX2");
  facts.processor.features.emplace_back("avx512f");
  EXPECT_EQ(processor_check(facts, "model").seen, "Example CPU 9000, with AVX-512");
}

TEST(ProcessorModel, WarnsOfAnX86WithoutAvx2) {
  Facts facts = healthy_facts();
  facts.processor.features = {"sse2", "avx"};
  const Check check = processor_check(facts, "model");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "Example CPU 9000, no AVX2");
  EXPECT_EQ(check.advice,
            "libtorch and the reductions fall back to kernels that are several times slower. In a virtual "
            "machine, pass the host's processor through (for example qemu -cpu host).");
}

TEST(ProcessorModel, ExpectsNoAvx2OfOtherArchitectures) {
  Facts facts = healthy_facts();
  facts.processor = {
      .model = "", .architecture = "aarch64", .features = {"asimd"}, .online_cores = 8, .affinity_cores = 8};
  EXPECT_EQ(processor_check(facts, "model").seen, "aarch64, with NEON");
  facts.processor.features = {"asimd", "sve"};
  EXPECT_EQ(processor_check(facts, "model").seen, "aarch64, with SVE");
  facts.processor.features = {};
  EXPECT_EQ(processor_check(facts, "model").seen, "aarch64");
  EXPECT_EQ(processor_check(facts, "model").status, Status::kOk);
}

TEST(Cores, AreOkWhenAllAreUsable) {
  const Check check = processor_check(healthy_facts(), "cores");
  EXPECT_EQ(check.status, Status::kOk);
  EXPECT_EQ(check.seen, "8, all of them usable");
}

TEST(Cores, WarnsOfAnAffinityMaskOfOneCore) {
  Facts facts = healthy_facts();
  facts.processor.affinity_cores = 1;
  const Check check = processor_check(facts, "cores");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "1 of 8 online cores, by the affinity mask");
  EXPECT_EQ(check.advice,
            "Start at most 1 rank, or widen the mask (taskset, docker run --cpuset-cpus, the batch system's "
            "cpus per task).");
}

TEST(Cores, WarnsOfAMachineWithOneCore) {
  Facts facts = healthy_facts();
  facts.processor.online_cores = 1;
  facts.processor.affinity_cores = 1;
  const Check check = processor_check(facts, "cores");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "1");
  EXPECT_EQ(check.advice, "Ranks take turns on one core: correct, but no faster than a single process.");
}

TEST(Cores, TrustsTheOnlineCoresWhenTheMaskIsUnknown) {
  Facts facts = healthy_facts();
  facts.processor.affinity_cores = 0;
  EXPECT_EQ(processor_check(facts, "cores").seen, "8, all of them usable");
}

TEST(CpuQuota, IsOkWhenThereIsNone) {
  EXPECT_EQ(processor_check(healthy_facts(), "cpu quota").seen, "none");
}

TEST(CpuQuota, WarnsOfHalfACore) {
  Facts facts = healthy_facts();
  facts.cgroup.cpu_cores = 0.5;
  facts.cgroup.cpu_group = "/job";
  const Check check = processor_check(facts, "cpu quota");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "0.5 cores for 8 cores (control group /job)");
  EXPECT_EQ(
      check.advice,
      "When it is used up, the kernel stops every rank for the rest of the period. Start at most 1 rank, "
      "or raise the quota (docker run --cpus, systemd CPUQuota=).");
}

TEST(CpuQuota, IsOkWhenItCoversEveryUsableCore) {
  Facts facts = healthy_facts();
  facts.processor.affinity_cores = 2;
  facts.cgroup.cpu_cores = 2.0;
  facts.cgroup.cpu_group = "/";
  const Check check = processor_check(facts, "cpu quota");
  EXPECT_EQ(check.status, Status::kOk);
  EXPECT_EQ(check.seen, "2 cores (control group /)");
}

TEST(UsableCores, AreWhatMaskAndQuotaLeave) {
  Facts facts = healthy_facts();
  EXPECT_EQ(usable_cores(facts), 8);
  facts.cgroup.cpu_cores = 3.9;
  EXPECT_EQ(usable_cores(facts), 3);
  facts.processor.affinity_cores = 2;
  EXPECT_EQ(usable_cores(facts), 2);
  facts.cgroup.cpu_cores = 0.5;
  EXPECT_EQ(usable_cores(facts), 1);
  EXPECT_EQ(usable_cores(Facts{}), 1);
}

TEST(ProcessorChecks, CountPhysicalCoresForRanks) {
  Facts facts = healthy_facts();
  facts.processor.physical_cores = 4;
  facts.processor.caches = 2;
  facts.processor.packages = 2;
  EXPECT_EQ(usable_cores(facts), 4);
  EXPECT_EQ(
      judge_processor(facts)[1].seen,
      "8, all of them usable: hardware threads of 4 physical cores, with 2 last-level caches, on 2 sockets");
}

}  // namespace
}  // namespace lockstep::doctor
