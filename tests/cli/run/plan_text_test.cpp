#include "cli/run/plan_text.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/run/example_machine.h"
#include "cli/run/plan.h"

namespace lockstep::run {
namespace {

Plan plan_for(const Options& options, const std::vector<std::string>& command) {
  const HostFacts host{.topology = plain_cores({0, 1, 2, 3}),
                       .gpus = 0,
                       .name = "node1",
                       .environment = {},
                       .free_port = 40123,
                       .random_id = "abc"};
  return make_plan(options, command, host).plan;
}

TEST(PlanText, ShowsWhatRanksShareOnce) {
  Options options;
  options.nproc_per_node = "2";
  options.log_dir = "logs";
  options.redirects = "1:1";
  options.max_restarts = 3;
  EXPECT_EQ(plan_text(plan_for(options, {"./train", "--name", "it's me", ""})),
            "host node1 (1 of 1): ranks 0-1 of 2, run 'abc'\n"
            "  package 0, node 0:  [0 rank 0] [1 rank 0] [2 rank 1] [3 rank 1]\n"
            "command: ./train --name 'it'\\''s me' ''\n"
            "restarts: 3; from SIGTERM to SIGKILL: 30.00 s\n"
            "environment of all:\n"
            "  GLIBC_TUNABLES=glibc.malloc.hugetlb=1\n"
            "  GROUP_RANK=0\n"
            "  GROUP_WORLD_SIZE=1\n"
            "  LOCAL_WORLD_SIZE=2\n"
            "  MASTER_ADDR=127.0.0.1\n"
            "  MASTER_PORT=40123\n"
            "  MKL_NUM_THREADS=2\n"
            "  OMP_NUM_THREADS=2\n"
            "  ROLE_NAME=default\n"
            "  ROLE_WORLD_SIZE=2\n"
            "  TORCHELASTIC_MAX_RESTARTS=3\n"
            "  TORCHELASTIC_RUN_ID=abc\n"
            "  TORCHELASTIC_USE_AGENT_STORE=False\n"
            "  TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n"
            "  WORLD_SIZE=2\n"
            "rank 0 (local rank 0): cores 0-1; output: here\n"
            "  LOCAL_RANK=0 RANK=0 ROLE_RANK=0\n"
            "rank 1 (local rank 1): cores 2-3; output: stdout file, stderr here\n"
            "  LOCAL_RANK=1 RANK=1 ROLE_RANK=1\n");
}

TEST(PlanText, ShowsAllOfALoneRankWithIt) {
  Options options;
  options.nproc_per_node = "1";
  options.bind = Binding::kNone;
  options.ranks_filter = {7};
  const std::string text = plan_text(plan_for(options, {"train"}));
  EXPECT_NE(text.find("host node1 (1 of 1): ranks 0-0 of 1, run 'abc'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 0 (local rank 0): not bound to cores; output: nowhere\n  "
                      "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "
                      "GROUP_RANK=0 GROUP_WORLD_SIZE=1"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("environment of all"), std::string::npos) << text;
}

}  // namespace
}  // namespace lockstep::run
