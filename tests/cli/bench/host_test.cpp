#include "cli/bench/host.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lockstep::bench {
namespace {

const Machine kMachine{.processor = "Example 8",
                       .cores = 1,
                       .kernel = "6.1.0",
                       .load_before = "0.10 0.20 0.30",
                       .load_after = "1.10 0.40 0.30"};

TEST(Host, IsTwoLinesForPeople) {
  EXPECT_EQ(machine_lines(kMachine),
            "machine    Example 8, 1 core, Linux 6.1.0\n"
            "load       0.10 0.20 0.30 before, 1.10 0.40 0.30 after\n");
}

TEST(Host, IsAnObjectForPrograms) {
  EXPECT_EQ(nlohmann::json(machine_json(kMachine)), nlohmann::json::parse(R"({
    "processor": "Example 8", "cores": 1, "kernel": "6.1.0",
    "load_before": "0.10 0.20 0.30", "load_after": "1.10 0.40 0.30"})"));
}

TEST(Host, DescribesTheMachineItRunsOn) {
  const Machine machine = describe_machine();
  EXPECT_NE(machine.processor, "");
  EXPECT_GE(machine.cores, 1);
  EXPECT_NE(machine.kernel, "");
  EXPECT_NE(machine.load_before, "");
}

}  // namespace
}  // namespace lockstep::bench
