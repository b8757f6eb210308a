#include "cli/run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "lockstep/config.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Parsed {
  Options options;
  config::LoadResult result;
};

Parsed parse(const std::vector<std::string>& arguments, const config::Environment& environment = {}) {
  Parsed parsed;
  parsed.result = config::load(
      parsed.options, arguments,
      {.name = "run", .env_prefix = "PET", .positionals = config::Positionals::kPassThrough}, environment);
  return parsed;
}

TEST(RunOptions, HaveTorchrunsNamesInBothSpellings) {
  const std::vector<std::vector<std::string>> lines = {
      {"--nproc-per-node", "4", "--max-restarts=3", "--log-dir", "logs", "-r", "1", "-t", "2", "train"},
      {"--nproc_per_node=4", "--max_restarts", "3", "--log_dir=logs", "--redirects=1", "--tee=2", "train"},
      {"-n4", "--max-restarts", "3", "--log_dir", "logs", "-r1", "-t2", "train"}};
  for (const auto& line : lines) {
    const Parsed parsed = parse(line);
    EXPECT_THAT(parsed.result.problems, IsEmpty());
    EXPECT_THAT(parsed.result.positionals, ElementsAre("train"));
    EXPECT_EQ(parsed.options.nproc_per_node, "4");
    EXPECT_EQ(parsed.options.max_restarts, 3);
    EXPECT_EQ(parsed.options.log_dir, "logs");
    EXPECT_EQ(parsed.options.redirects, "1");
    EXPECT_EQ(parsed.options.tee, "2");
  }
}

TEST(RunOptions, LeaveTheProgramsFlagsAlone) {
  const Parsed parsed = parse({"-n", "2", "train", "--nproc-per-node", "7", "-n", "--", "x"});
  EXPECT_THAT(parsed.result.positionals, ElementsAre("train", "--nproc-per-node", "7", "-n", "--", "x"));
  EXPECT_EQ(parsed.options.nproc_per_node, "2");
}

TEST(RunOptions, ComeFromTorchrunsEnvironmentToo) {
  const Parsed parsed = parse({"--node-rank", "1", "train"}, {{"PET_NPROC_PER_NODE", "gpu"},
                                                              {"PET_NNODES", "2"},
                                                              {"PET_NODE_RANK", "0"},
                                                              {"PET_MASTER_ADDR", "10.0.0.1"},
                                                              {"PET_STANDALONE", "1"},
                                                              {"PET_LOCAL_RANKS_FILTER", "0,2"}});
  EXPECT_THAT(parsed.result.problems, IsEmpty());
  EXPECT_EQ(parsed.options.nproc_per_node, "gpu");
  EXPECT_EQ(parsed.options.nnodes, "2");
  EXPECT_EQ(parsed.options.node_rank, 1);  // the command line counts more
  EXPECT_EQ(parsed.options.master_addr, "10.0.0.1");
  EXPECT_TRUE(parsed.options.standalone);
  EXPECT_THAT(parsed.options.local_ranks_filter, ElementsAre(0, 2));
}

TEST(RunOptions, AreCheckedAllAtOnce) {
  EXPECT_THAT(parse({"--master-port", "70000", "--shutdown-timeout=-1", "--bind", "socket", "train"},
                    {{"PET_MAX_RESTARTS", "many"}})
                  .result.problems,
              ElementsAre("--master-port: 70000 is out of range [1, 65535]",
                          "--shutdown-timeout: -1 is out of range [0, 86400] seconds",
                          "--bind: 'socket' is not one of core, thread, numa, none",
                          "PET_MAX_RESTARTS: 'many' is not an integer"));
}

TEST(RunOptions, HaveAGracePeriodWithFractions) {
  EXPECT_EQ(Options().grace(), 30s);
  EXPECT_EQ(parse({"--shutdown-timeout", "0.25", "train"}).options.grace(), 250ms);
  EXPECT_EQ(parse({"--shutdown-timeout", "0", "train"}).options.grace(), 0ns);
}

TEST(IgnoredOptions, SayNothingWhenNoneIsGiven) {
  EXPECT_THAT(IgnoredOptions().notes(), IsEmpty());
}

TEST(IgnoredOptions, SayWhyEachChangesNothing) {
  const Parsed parsed = parse({"--rdzv-conf", "timeout=3", "--monitor_interval", "5", "--start-method=spawn",
                               "--local-addr", "10.0.0.2", "--numa-binding", "node", "--event-log-handler",
                               "null", "--duplicate-stdout-filters", "a", "--duplicate-stderr-filters", "b",
                               "--virtual-local-rank", "--run-path", "train"});
  EXPECT_THAT(parsed.result.problems, IsEmpty());
  EXPECT_THAT(parsed.options.ignored.notes(),
              ElementsAre("ignored --rdzv-conf: the rendezvous is static and has no settings",
                          "ignored --monitor-interval: workers are watched without polling",
                          "ignored --start-method: workers are always programs of their own",
                          "ignored --local-addr: give the workers' World a --bind-address instead",
                          "ignored --numa-binding: see --bind",
                          "ignored --event-log-handler: there are no events; see --report",
                          "ignored --duplicate-stdout-filters: no output is filtered by its text",
                          "ignored --duplicate-stderr-filters: no output is filtered by its text",
                          "ignored --virtual-local-rank: LOCAL_RANK is the rank on this host",
                          "ignored --run-path: the program is started as it is"));
}

}  // namespace
}  // namespace lockstep::run
