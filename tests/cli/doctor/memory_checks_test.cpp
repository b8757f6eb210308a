#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/healthy_facts.h"

namespace lockstep::doctor {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

Check memory_check(const Facts& facts, std::string_view name) {
  return check_named(judge_memory(facts), name);
}

TEST(Memory, IsOkWithSomeGibibytesAvailable) {
  const Check check = memory_check(healthy_facts(), "memory");
  EXPECT_EQ(check.status, Status::kOk);
  EXPECT_EQ(check.seen, "32 GiB, 24 GiB available");
}

TEST(Memory, IsScarceBelowOneGibibyteAndHopelessBelowAQuarter) {
  Facts facts = healthy_facts();
  facts.memory.available_bytes = kGib;
  EXPECT_EQ(memory_check(facts, "memory").status, Status::kOk);
  facts.memory.available_bytes = kGib - 1;
  EXPECT_EQ(memory_check(facts, "memory").status, Status::kWarning);
  facts.memory.available_bytes = 256 * kMib - 1;
  const Check check = memory_check(facts, "memory");
  EXPECT_EQ(check.status, Status::kProblem);
  EXPECT_EQ(check.seen, "32 GiB, 256 MiB available");
  EXPECT_EQ(check.advice,
            "Every rank holds the model, its gradients and libtorch itself (about 200 MiB). Stop other "
            "programs or use a machine with more memory.");
}

TEST(Memory, WarnsWhenTheMachineDoesNotSay) {
  Facts facts = healthy_facts();
  facts.memory.available_bytes = std::nullopt;
  const Check check = memory_check(facts, "memory");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "unknown: /proc/meminfo does not say");
}

TEST(MemoryLimit, IsOkWhenThereIsNone) {
  const Check check = memory_check(healthy_facts(), "memory limit");
  EXPECT_EQ(check.status, Status::kOk);
  EXPECT_EQ(check.seen, "none");
}

TEST(MemoryLimit, WarnsWhenItIsLowerThanTheMemory) {
  Facts facts = healthy_facts();
  facts.cgroup.memory_bytes = 8 * kGib;
  facts.cgroup.memory_used_bytes = 3 * kGib;
  facts.cgroup.memory_group = "/docker/abc";
  const Check check = memory_check(facts, "memory limit");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "8 GiB, 5 GiB left (control group /docker/abc)");
  EXPECT_EQ(
      check.advice,
      "All ranks share this limit, and the kernel kills one without a word when they reach it (exit code "
      "137). Keep the job below it, or raise it (docker run --memory, systemd MemoryMax=).");
}

TEST(MemoryLimit, IsOkWhenItIsNoLowerThanTheMemory) {
  Facts facts = healthy_facts();
  facts.cgroup.memory_bytes = 32 * kGib;
  EXPECT_EQ(memory_check(facts, "memory limit").status, Status::kOk);
  EXPECT_EQ(memory_check(facts, "memory limit").advice, "");
}

TEST(MemoryLimit, IsAProblemWhenNothingIsLeft) {
  Facts facts = healthy_facts();
  facts.cgroup.memory_bytes = 8 * kGib;
  facts.cgroup.memory_used_bytes = 9 * kGib;
  facts.cgroup.memory_group = "/";
  const Check check = memory_check(facts, "memory limit");
  EXPECT_EQ(check.status, Status::kProblem);
  EXPECT_EQ(check.seen, "8 GiB, 0 B left (control group /)");
}

TEST(HugePages, AreOnlyDescribed) {
  Facts facts = healthy_facts();
  EXPECT_EQ(memory_check(facts, "huge pages").seen, "advise for shared memory");
  facts.memory.shared_huge_pages = "never";
  EXPECT_EQ(memory_check(facts, "huge pages").seen, "never for shared memory; it uses 4 KiB pages");
  facts.memory.shared_huge_pages = "";
  EXPECT_EQ(memory_check(facts, "huge pages").seen, "not offered for shared memory; it uses 4 KiB pages");
  EXPECT_EQ(memory_check(facts, "huge pages").status, Status::kOk);
}

}  // namespace
}  // namespace lockstep::doctor
