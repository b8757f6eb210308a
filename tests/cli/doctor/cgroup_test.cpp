#include "cli/doctor/cgroup.h"

#include <gtest/gtest.h>

#include "cli/doctor/fake_host.h"

namespace lockstep::doctor {
namespace {

constexpr const char* kVersion2Mount =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

FakeHost& with_version_2(FakeHost& host, const char* path) {
  return host.add("/proc/self/mountinfo", kVersion2Mount)
      .add("/proc/self/cgroup", std::string("0::") + path + "\n");
}

TEST(Cgroup, FindsNoLimitsOnAMachineWithoutControlGroups) {
  const CgroupLimits limits = read_cgroup_limits(FakeHost().files());
  EXPECT_EQ(limits.cpu_cores, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
  EXPECT_EQ(limits.processes, std::nullopt);
}

TEST(Cgroup, ReadsTheLimitsOfVersion2) {
  FakeHost host;
  with_version_2(host, "/job")
      .add("/sys/fs/cgroup/job/cpu.max", "50000 100000\n")
      .add("/sys/fs/cgroup/job/memory.max", "4096000\n")
      .add("/sys/fs/cgroup/job/memory.current", "1000\n")
      .add("/sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 400\n")
      .add("/sys/fs/cgroup/job/pids.max", "100\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.cpu_cores, 0.5);
  EXPECT_EQ(limits.cpu_group, "/job");
  EXPECT_EQ(limits.memory_bytes, 4096000U);
  EXPECT_EQ(limits.memory_used_bytes, 600U);
  EXPECT_EQ(limits.memory_group, "/job");
  EXPECT_EQ(limits.processes, 100U);
  EXPECT_EQ(limits.processes_group, "/job");
}

TEST(Cgroup, TakesMaxAsNoLimit) {
  FakeHost host;
  with_version_2(host, "/job")
      .add("/sys/fs/cgroup/job/cpu.max", "max 100000\n")
      .add("/sys/fs/cgroup/job/memory.max", "max\n")
      .add("/sys/fs/cgroup/job/pids.max", "max\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.cpu_cores, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
  EXPECT_EQ(limits.processes, std::nullopt);
}

TEST(Cgroup, TheTightestLimitOnTheWayUpCounts) {
  FakeHost host;
  with_version_2(host, "/slice/job/step")
      .add("/sys/fs/cgroup/slice/job/step/memory.max", "max\n")
      .add("/sys/fs/cgroup/slice/job/memory.max", "2000\n")
      .add("/sys/fs/cgroup/slice/job/memory.current", "1500\n")
      .add("/sys/fs/cgroup/slice/memory.max", "9000\n")
      .add("/sys/fs/cgroup/slice/memory.current", "8000\n")
      .add("/sys/fs/cgroup/slice/job/step/cpu.max", "400000 100000\n")
      .add("/sys/fs/cgroup/slice/cpu.max", "150000 100000\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.memory_bytes, 2000U);
  EXPECT_EQ(limits.memory_used_bytes, 1500U);
  EXPECT_EQ(limits.memory_group, "/slice/job");
  EXPECT_EQ(limits.cpu_cores, 1.5);
  EXPECT_EQ(limits.cpu_group, "/slice");
}

TEST(Cgroup, ReadsALimitOnTheRootOfWhatIsMounted) {
  FakeHost host;
  with_version_2(host, "/").add("/sys/fs/cgroup/memory.max", "2000\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.memory_bytes, 2000U);
  EXPECT_EQ(limits.memory_group, "/");
}

TEST(Cgroup, ReadsTheLimitsOfVersion1) {
  FakeHost host;
  host.add("/proc/self/mountinfo",
           "31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
           "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
           "33 30 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n")
      .add("/proc/self/cgroup", "4:memory:/a/b\n3:pids:/\n2:cpu,cpuacct:/a\n")
      .add("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n")
      .add("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n")
      .add("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .add("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .add("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n")
      .add("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n")
      .add("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "700\n")
      .add("/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n")
      .add("/sys/fs/cgroup/pids/pids.max", "77\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.cpu_cores, 2.0);
  EXPECT_EQ(limits.cpu_group, "/a");
  EXPECT_EQ(limits.memory_bytes, 5000U);
  EXPECT_EQ(limits.memory_used_bytes, 500U);
  EXPECT_EQ(limits.memory_group, "/a");
  EXPECT_EQ(limits.processes, 77U);
}

TEST(Cgroup, ReadsBothVersionsSideBySide) {
  FakeHost host;
  host.add("/proc/self/mountinfo",
           "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
           "34 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
      .add("/proc/self/cgroup", "4:memory:/a\n0::/b\n")
      .add("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n")
      .add("/sys/fs/cgroup/unified/b/cpu.max", "300000 100000\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.memory_bytes, 5000U);
  EXPECT_EQ(limits.cpu_cores, 3.0);
}

// Docker on version 1: /proc/self/cgroup has the host's path, the mount shows only the container's group.
TEST(Cgroup, FindsTheGroupOfAContainerBelowItsMount) {
  FakeHost host;
  host.add("/proc/self/mountinfo",
           "32 30 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n")
      .add("/proc/self/cgroup", "4:memory:/docker/abc/worker\n")
      .add("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n")
      .add("/sys/fs/cgroup/memory/worker/memory.limit_in_bytes", "6000\n");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.memory_bytes, 5000U);
  EXPECT_EQ(limits.memory_group, "/docker/abc");
}

TEST(Cgroup, ReadsTheMountPointWhenThePathLiesOutsideOfIt) {
  for (const char* path : {"/../sibling", "/docker/abcdef", "/elsewhere"}) {
    FakeHost host;
    host.add("/proc/self/mountinfo", "32 30 0:28 /docker/abc /cg rw - cgroup2 cgroup2 rw\n")
        .add("/proc/self/cgroup", std::string("0::") + path + "\n")
        .add("/cg/memory.max", "5000\n");
    EXPECT_EQ(read_cgroup_limits(host.files()).memory_bytes, 5000U) << path;
  }
}

TEST(Cgroup, DecodesTheMountPoint) {
  FakeHost host;
  host.add("/proc/self/mountinfo", "32 30 0:28 / /odd\\040place rw - cgroup2 cgroup2 rw\n")
      .add("/proc/self/cgroup", "0::/\n")
      .add("/odd place/memory.max", "5000\n");
  EXPECT_EQ(read_cgroup_limits(host.files()).memory_bytes, 5000U);
}

TEST(Cgroup, GarbageIsNoLimit) {
  FakeHost host;
  with_version_2(host, "/job")
      .add("/sys/fs/cgroup/job/cpu.max", "50000\n")
      .add("/sys/fs/cgroup/cpu.max", "0 0\n")
      .add("/sys/fs/cgroup/job/memory.max", "12 parsecs\n")
      .add("/sys/fs/cgroup/job/pids.max", "");
  const CgroupLimits limits = read_cgroup_limits(host.files());
  EXPECT_EQ(limits.cpu_cores, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
  EXPECT_EQ(limits.processes, std::nullopt);
}

TEST(Cgroup, SurvivesGarbledProcFiles) {
  for (const char* garbage : {"", "\n\n", ":::", " - ", "1 2 3 4 - cgroup2 x", "no colon"}) {
    FakeHost host;
    host.add("/proc/self/mountinfo", garbage).add("/proc/self/cgroup", garbage);
    EXPECT_EQ(read_cgroup_limits(host.files()).memory_bytes, std::nullopt) << garbage;
  }
}

TEST(Cgroup, DoesNotReportMoreCacheThanUse) {
  FakeHost host;
  with_version_2(host, "/")
      .add("/sys/fs/cgroup/memory.max", "5000\n")
      .add("/sys/fs/cgroup/memory.current", "100\n")
      .add("/sys/fs/cgroup/memory.stat", "inactive_file 400\n");
  EXPECT_EQ(read_cgroup_limits(host.files()).memory_used_bytes, 0U);
}

TEST(MemoryKills, AreCountedByVersion2) {
  FakeHost host;
  with_version_2(host, "/job").add("/sys/fs/cgroup/job/memory.events", "low 0\noom 5\noom_kill 3\n");
  EXPECT_EQ(read_memory_kills(host.files()), 3U);
}

TEST(MemoryKills, AreCountedByVersion1) {
  FakeHost host;
  host.add("/proc/self/mountinfo", "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
      .add("/proc/self/cgroup", "4:memory:/a/b\n")
      .add("/sys/fs/cgroup/memory/a/b/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
      .add("/sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill 9\n");
  EXPECT_EQ(read_memory_kills(host.files()), 2U);
}

TEST(MemoryKills, AreCountedWhereTheControllerIsWithBothVersions) {
  FakeHost host;
  host.add("/proc/self/mountinfo",
           "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
           "34 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
      .add("/proc/self/cgroup", "4:memory:/a\n0::/b\n")
      .add("/sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill_disable 0\n")  // of an old kernel
      .add("/sys/fs/cgroup/unified/b/memory.events", "oom_kill 4\n");
  EXPECT_EQ(read_memory_kills(host.files()), 4U);
}

TEST(MemoryKills, AreUnknownWhereNobodyCounts) {
  EXPECT_EQ(read_memory_kills(FakeHost().files()), std::nullopt);
  FakeHost root;  // the root group of version 2 has no such file
  with_version_2(root, "/");
  EXPECT_EQ(read_memory_kills(root.files()), std::nullopt);
  FakeHost garbage;
  with_version_2(garbage, "/job").add("/sys/fs/cgroup/job/memory.events", "oom_kill many\n");
  EXPECT_EQ(read_memory_kills(garbage.files()), std::nullopt);
}

}  // namespace
}  // namespace lockstep::doctor
