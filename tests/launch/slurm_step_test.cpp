#include "launch/slurm_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "launch/refusal.h"

namespace lockstep::testing {
namespace {

SlurmStep step_from(const Variables& variables) {
  EnvironmentReader reader(variables);
  SlurmStep step = read_slurm_step(reader, 4);
  reader.throw_problems();
  return step;
}

std::string refusal_with(const char* name, const char* value) {
  Variables variables = slurm();
  variables[name] = value;
  return refusal(variables);
}

TEST(SlurmStep, KnowsHowManyTasksAreOnItsNode) {
  EXPECT_EQ(step_from(slurm(2)).local_size, 3);
  EXPECT_EQ(step_from(slurm(2)).local_rank, 2);
  EXPECT_EQ(step_from(slurm(3)).local_size, 1);
  EXPECT_EQ(step_from(slurm(3)).node_count, 2);
}

TEST(SlurmStep, MeetsOnTheFirstNodeOfTheStepAndNotOfTheJob) {
  EXPECT_EQ(step_from(slurm()).first_host, "gpu08");
}

TEST(SlurmStep, HasAPortOfItsOwn) {
  std::set<int> ports;
  for (int job = 4'000'000; job < 4'000'010; ++job) {
    for (int step = 0; step < 10; ++step) {
      Variables variables = slurm();
      variables["SLURM_JOB_ID"] = std::to_string(job);
      variables["SLURM_STEP_ID"] = std::to_string(step);
      ports.insert(step_from(variables).port);
    }
  }
  EXPECT_EQ(ports.size(), 100U);
  EXPECT_GE(*ports.begin(), 15000);
  EXPECT_LT(*ports.rbegin(), 32768) << "from there on Linux hands them out by itself";
}

TEST(SlurmStep, TakesTheNumberOfAnInteractiveStep) {
  Variables variables = slurm();
  variables["SLURM_STEP_ID"] = "4294967290";
  EXPECT_GE(step_from(variables).port, 15000);
}

TEST(SlurmStep, RefusesListsItCannotRead) {
  EXPECT_EQ(refusal_with("SLURM_STEP_TASKS_PER_NODE", "2(x2"),
            "  SLURM_STEP_TASKS_PER_NODE='2(x2' is not a list such as 2(x3),1");
  EXPECT_EQ(refusal_with("SLURM_STEP_NODELIST", "gpu[08-"),
            "  SLURM_STEP_NODELIST='gpu[08-' is not a list such as gpu[01-04,07]");
  EXPECT_EQ(refusal_with("SLURM_JOB_ID", "a"), "  SLURM_JOB_ID='a' is not a number from 0 to 4294967295");
}

TEST(SlurmStep, RefusesContradictions) {
  EXPECT_EQ(refusal_with("SLURM_STEP_TASKS_PER_NODE", "3(x2)"),
            "  SLURM_STEP_TASKS_PER_NODE='3(x2)' makes 6 tasks, not SLURM_STEP_NUM_TASKS=4");
  EXPECT_EQ(refusal_with("SLURM_NODEID", "2"),
            "  SLURM_NODEID=2 is not below the 2 nodes of SLURM_STEP_TASKS_PER_NODE='3,1'");
  EXPECT_EQ(
      refusal_with("SLURM_LOCALID", "1"),
      "  SLURM_LOCALID=1 is not below 1, which is what SLURM_STEP_TASKS_PER_NODE='3,1' gives to node 1");
  EXPECT_EQ(refusal_with("SLURM_PROCID", "4"), "  SLURM_PROCID=4 is not below SLURM_STEP_NUM_TASKS=4");
}

TEST(SlurmStep, NoticesAFirstTaskThatIsNotOnTheFirstNode) {
  Variables variables = slurm();
  variables["SLURM_PROCID"] = "0";
  EXPECT_EQ(
      refusal(variables),
      "  SLURM_PROCID=0 has SLURM_NODEID=1, so it is not on gpu08, where the others would look for it; set "
      "MASTER_ADDR to its host");
  variables["MASTER_ADDR"] = "gpu09";
  EXPECT_EQ(identify_alone(variables).identity.master_address, "gpu09");
}

}  // namespace
}  // namespace lockstep::testing
