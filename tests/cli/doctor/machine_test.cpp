#include "cli/doctor/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/fake_host.h"

namespace lockstep::doctor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadProcessor, TakesModelAndFlagsOfTheFirstCore) {
  FakeHost host;
  host.add("/proc/cpuinfo",
           "processor\t: 0\nmodel name\t: Example CPU: the 9000\nflags\t\t: fpu avx2\n\n"
           "processor\t: 1\nmodel name\t: Other\nflags\t\t: fpu\n");
  const ProcessorFacts processor = read_processor(host.files());
  EXPECT_EQ(processor.model, "Example CPU: the 9000");
  EXPECT_THAT(processor.features, ElementsAre("fpu", "avx2"));
}

TEST(ReadProcessor, TakesTheFeaturesOfArm) {
  FakeHost host;
  host.add("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd sve\n");
  const ProcessorFacts processor = read_processor(host.files());
  EXPECT_EQ(processor.model, "");
  EXPECT_THAT(processor.features, ElementsAre("fp", "asimd", "sve"));
}

TEST(ReadProcessor, CountsTheCoresOfThisProcess) {
  const ProcessorFacts processor = read_processor(FakeHost().files());
  EXPECT_GE(processor.affinity_cores, 1);
  EXPECT_GE(processor.online_cores, processor.affinity_cores);
  EXPECT_GE(processor.physical_cores, 1);
  EXPECT_LE(processor.physical_cores, processor.affinity_cores);
  EXPECT_GE(processor.caches, 1);
  EXPECT_NE(processor.architecture, "");
  EXPECT_THAT(processor.features, IsEmpty());
}

TEST(ReadMemory, TakesTotalAndAvailableInBytes) {
  FakeHost host;
  host.add("/proc/meminfo", "MemTotal:       2048 kB\nMemFree:  1 kB\nMemAvailable:   1024 kB\n")
      .add("/sys/kernel/mm/transparent_hugepage/shmem_enabled",
           "always within_size [advise] never deny force\n");
  const MemoryFacts memory = read_memory(host.files());
  EXPECT_EQ(memory.total_bytes, 2048U * 1024);
  EXPECT_EQ(memory.available_bytes, 1024U * 1024);
  EXPECT_EQ(memory.shared_huge_pages, "advise");
}

TEST(ReadMemory, LeavesOutWhatTheFilesDoNotSay) {
  FakeHost host;
  host.add("/proc/meminfo", "MemTotal: lots\n")
      .add("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always] [never");
  const MemoryFacts memory = read_memory(host.files());
  EXPECT_EQ(memory.total_bytes, std::nullopt);
  EXPECT_EQ(memory.available_bytes, std::nullopt);
  EXPECT_EQ(memory.shared_huge_pages, "");
}

TEST(GatherFacts, DescribesTheMachineOfTheSuite) {
  const Facts facts = gather_facts(HostFiles());
  EXPECT_GT(facts.memory.total_bytes.value_or(0), 0U);
  EXPECT_NE(facts.kernel.release, "");
  EXPECT_GT(facts.kernel.clock_read_ns, 0.0);
  EXPECT_TRUE(facts.kernel.sealed_memory.works) << facts.kernel.sealed_memory.trouble;
  EXPECT_GT(facts.limits.open_files.soft.value_or(1), 0U);
}

}  // namespace
}  // namespace lockstep::doctor
