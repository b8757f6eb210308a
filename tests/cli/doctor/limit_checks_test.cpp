#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/healthy_facts.h"

namespace lockstep::doctor {
namespace {

Check limit_check(const Facts& facts, std::string_view name) {
  return check_named(judge_limits(facts), name);
}

TEST(OpenFiles, AreOkFrom1024On) {
  Facts facts = healthy_facts();
  EXPECT_EQ(limit_check(facts, "open files").seen, "4096");
  facts.limits.open_files.soft = 1024;
  EXPECT_EQ(limit_check(facts, "open files").status, Status::kOk);
  facts.limits.open_files.soft = std::nullopt;
  EXPECT_EQ(limit_check(facts, "open files").seen, "unlimited");
}

TEST(OpenFiles, WarnsOfFewAndSaysHowToRaiseThem) {
  Facts facts = healthy_facts();
  facts.limits.open_files = {.soft = 256, .hard = 4096};
  const Check check = limit_check(facts, "open files");
  EXPECT_EQ(check.status, Status::kWarning);
  EXPECT_EQ(check.seen, "256");
  EXPECT_EQ(
      check.advice,
      "Each rank holds descriptors for its peers, its data and its log; many ranks run out. Run `ulimit "
      "-n 4096` in the shell that starts the job.");
  facts.limits.open_files.hard = std::nullopt;
  EXPECT_NE(limit_check(facts, "open files").advice.find("`ulimit -n 65536`"), std::string::npos);
}

TEST(OpenFiles, NamesTheHardLimitWhenItIsInTheWay) {
  Facts facts = healthy_facts();
  facts.limits.open_files = {.soft = 256, .hard = 512};
  EXPECT_EQ(
      limit_check(facts, "open files").advice,
      "Each rank holds descriptors for its peers, its data and its log; many ranks run out. The hard limit "
      "is 512: have it raised (nofile in /etc/security/limits.conf, systemd LimitNOFILE=, docker run "
      "--ulimit nofile=65536).");
}

TEST(Processes, TheTighterOfUserAndControlGroupCounts) {
  Facts facts = healthy_facts();
  EXPECT_EQ(limit_check(facts, "processes").seen, "unlimited");
  facts.limits.processes.soft = 2000;
  EXPECT_EQ(limit_check(facts, "processes").seen, "2000");
  facts.cgroup.processes = 3000;
  facts.cgroup.processes_group = "/job";
  EXPECT_EQ(limit_check(facts, "processes").seen, "2000");
  facts.cgroup.processes = 1000;
  EXPECT_EQ(limit_check(facts, "processes").seen, "1000 (control group /job)");
  EXPECT_EQ(limit_check(facts, "processes").status, Status::kOk);
}

TEST(Processes, WarnsOfFewAndNamesTheRightKnob) {
  Facts facts = healthy_facts();
  facts.limits.processes.soft = 511;
  EXPECT_EQ(limit_check(facts, "processes").status, Status::kWarning);
  EXPECT_EQ(limit_check(facts, "processes").advice,
            "Every thread of every rank counts. Raise it (ulimit -u, nproc in /etc/security/limits.conf).");
  facts.cgroup.processes = 100;
  EXPECT_EQ(limit_check(facts, "processes").advice,
            "Every thread of every rank counts. Raise it (docker run --pids-limit, systemd TasksMax=).");
}

TEST(LockedMemory, IsOnlyDescribed) {
  Facts facts = healthy_facts();
  EXPECT_EQ(limit_check(facts, "locked memory").seen, "unlimited");
  facts.limits.locked_memory_bytes.soft = 65536;
  EXPECT_EQ(limit_check(facts, "locked memory").seen, "64 KiB; only InfiniBand and GPU-direct need more");
  EXPECT_EQ(limit_check(facts, "locked memory").status, Status::kOk);
}

TEST(CoreDumps, AreDescribedByLimitAndPattern) {
  Facts facts = healthy_facts();
  EXPECT_EQ(limit_check(facts, "core dumps").seen, "written to 'core'");
  facts.limits.core_file_bytes.soft = 0;
  EXPECT_EQ(limit_check(facts, "core dumps").seen,
            "off; `ulimit -c unlimited` keeps one when a rank crashes");
  facts.kernel.core_pattern = "|/usr/lib/systemd/systemd-coredump %P %u";
  EXPECT_EQ(limit_check(facts, "core dumps").seen, "handed to /usr/lib/systemd/systemd-coredump");
  facts.kernel.core_pattern = "|handler";
  EXPECT_EQ(limit_check(facts, "core dumps").seen, "handed to handler");
}

}  // namespace
}  // namespace lockstep::doctor
