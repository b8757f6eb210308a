#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/healthy_facts.h"

namespace lockstep::doctor {
namespace {

Check kernel_check(const KernelFacts& kernel, std::string_view name) {
  return check_named(judge_kernel(kernel), name);
}

TEST(KernelVersion, IsOkFromTheFirstWithPidfdOpenOn) {
  KernelFacts kernel = healthy_facts().kernel;
  EXPECT_EQ(kernel_check(kernel, "version").seen, "Linux 6.1.0-18-amd64");
  for (const char* release : {"5.3.0", "5.3", "5.10.0", "10.0-rc1", "unreadable", "", "x.y"}) {
    kernel.release = release;
    EXPECT_EQ(kernel_check(kernel, "version").status, Status::kOk) << release;
  }
  EXPECT_EQ(kernel_check({}, "version").seen, "Linux of unknown version");
}

TEST(KernelVersion, WarnsOfAnOlderOne) {
  KernelFacts kernel = healthy_facts().kernel;
  for (const char* release : {"5.2.21", "4.18.0-553.el8.x86_64", "5.2-rc1"}) {
    kernel.release = release;
    const Check check = kernel_check(kernel, "version");
    EXPECT_EQ(check.status, Status::kWarning) << release;
    EXPECT_EQ(check.advice, "Lockstep is made for Linux 5.3 and later; the lines below show what works.");
  }
}

TEST(KernelTrials, AreOkWhenTheyWorked) {
  const KernelFacts kernel = healthy_facts().kernel;
  EXPECT_EQ(kernel_check(kernel, "sealed memory").seen, "memfd_create works and its seals hold");
  EXPECT_EQ(kernel_check(kernel, "shared memory").seen, "shared mappings agree and carry futexes");
  EXPECT_EQ(kernel_check(kernel, "pidfd").seen, "pidfd_open works");
  EXPECT_EQ(kernel_check(kernel, "unix sockets").seen,
            "abstract names, peer credentials and descriptors work");
}

TEST(KernelTrials, AreProblemsWhenTheyDidNotWork) {
  KernelFacts kernel = healthy_facts().kernel;
  kernel.sealed_memory = {.works = false, .trouble = "memfd_create: Function not implemented"};
  const Check check = kernel_check(kernel, "sealed memory");
  EXPECT_EQ(check.status, Status::kProblem);
  EXPECT_EQ(check.seen, "memfd_create: Function not implemented");
  EXPECT_EQ(check.advice,
            "Ranks on one host keep gradients in sealed memfds. Allow memfd_create and fcntl seals in the "
            "sandbox (docker's default seccomp profile does).");
  for (const char* name : {"shared memory", "pidfd", "unix sockets"}) {
    EXPECT_EQ(kernel_check(kernel, name).status, Status::kOk) << "one broken trial does not spoil " << name;
    EXPECT_EQ(kernel_check({}, name).status, Status::kProblem) << name;
    EXPECT_NE(kernel_check({}, name).advice, "") << name;
  }
}

TEST(Clock, IsJudgedByItsSpeedNotItsName) {
  KernelFacts kernel = healthy_facts().kernel;
  EXPECT_EQ(kernel_check(kernel, "clock").seen, "tsc, 22 ns a reading");
  kernel.clock_source = "kvm-clock";
  EXPECT_EQ(kernel_check(kernel, "clock").status, Status::kOk);
  kernel.clock_source = "";
  EXPECT_EQ(kernel_check(kernel, "clock").seen, "unknown source, 22 ns a reading");
}

TEST(Clock, WarnsWhenAReadingNeedsASystemCall) {
  KernelFacts kernel = healthy_facts().kernel;
  kernel.clock_source = "hpet";
  kernel.clock_read_ns = 950;
  const Check check = kernel_check(kernel, "clock");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "hpet, 950 ns a reading");
  EXPECT_EQ(
      check.advice,
      "Waits, timings and traces read the clock often, and this one needs a system call each time. Boot "
      "with clocksource=tsc if the machine's TSC is stable, or run outside of the sandbox that traps it.");
}

}  // namespace
}  // namespace lockstep::doctor
