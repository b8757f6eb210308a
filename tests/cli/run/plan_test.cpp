// plan.h with placement.h below it: who is started with what, for every flag that has a say in it.

#include "cli/run/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "cli/run/example_machine.h"

namespace lockstep::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HostFacts host_with(int cores) {
  std::vector<int> numbers(static_cast<std::size_t>(cores));
  std::iota(numbers.begin(), numbers.end(), 0);
  return {.topology = plain_cores(numbers),
          .gpus = 0,
          .name = "node1",
          .environment = {},
          .free_port = 40123,
          .random_id = "abc"};
}

// The plan for a host of 8 cores, with some options changed.
PlanResult plan_with(const std::function<void(Options&)>& change,
                     const std::vector<std::string>& command = {"train"},
                     const HostFacts& host = host_with(8)) {
  Options options;
  change(options);
  return make_plan(options, command, host);
}

Plan good_plan(const std::function<void(Options&)>& change,
               const std::vector<std::string>& command = {"train"}, const HostFacts& host = host_with(8)) {
  PlanResult result = plan_with(change, command, host);
  EXPECT_THAT(result.problems, IsEmpty());
  return result.plan;
}

std::vector<std::string> problems_with(const std::function<void(Options&)>& change) {
  return plan_with(change).problems;
}

std::string variable(const Plan& plan, std::size_t worker, const std::string& name) {
  const auto found = plan.workers.at(worker).environment.find(name);
  return found != plan.workers.at(worker).environment.end() ? found->second : "(unset)";
}

TEST(Plan, HasARankForEveryCoreByItself) {
  const Plan plan = good_plan([](Options&) {});
  ASSERT_EQ(plan.workers.size(), 8U);
  EXPECT_THAT(plan.workers[5].cores, ElementsAre(5));
  EXPECT_EQ(variable(plan, 5, "OMP_NUM_THREADS"), "1");
  EXPECT_EQ(plan.world_size, 8);
  EXPECT_TRUE(plan.is_local());
}

TEST(Plan, HasARankForEveryPhysicalCoreNotForEveryHardwareThread) {
  HostFacts host = host_with(1);
  host.topology = hyperthreaded(1, 4);
  const Plan plan = good_plan([](Options&) {}, {"train"}, host);
  ASSERT_EQ(plan.workers.size(), 4U);
  EXPECT_THAT(plan.workers[1].cores, ElementsAre(1, 5));
  EXPECT_EQ(variable(plan, 1, "OMP_NUM_THREADS"), "1");
  EXPECT_EQ(good_plan([](Options& o) { o.bind = Binding::kThread; }, {"train"}, host).workers.size(), 8U);
}

TEST(Plan, HasAsManyRanksAsThereAreCoresForWhatEachWants) {
  for (const char* count : {"auto", "cpu"}) {
    const Plan plan = good_plan([&](Options& o) { o.nproc_per_node = count, o.threads_per_rank = 3; });
    ASSERT_EQ(plan.workers.size(), 2U);
    EXPECT_THAT(plan.workers[1].cores, ElementsAre(3, 4, 5));
    EXPECT_EQ(variable(plan, 1, "OMP_NUM_THREADS"), "3");
  }
  EXPECT_EQ(good_plan([](Options& o) { o.threads_per_rank = 100; }).workers.size(), 1U);
}

TEST(Plan, SharesTheCoresAmongAGivenNumberOfRanks) {
  const Plan plan = good_plan([](Options& o) { o.nproc_per_node = "3"; });
  ASSERT_EQ(plan.workers.size(), 3U);
  EXPECT_THAT(plan.workers[2].cores, ElementsAre(4, 5));
  EXPECT_EQ(variable(plan, 2, "OMP_NUM_THREADS"), "2");
  EXPECT_EQ(variable(plan, 2, "MKL_NUM_THREADS"), "2");
}

TEST(Plan, HasARankForEveryGpu) {
  HostFacts host = host_with(8);
  host.gpus = 2;
  const Plan plan = good_plan([](Options& o) { o.nproc_per_node = "gpu"; }, {"train"}, host);
  ASSERT_EQ(plan.workers.size(), 2U);
  EXPECT_THAT(plan.workers[1].cores, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(problems_with([](Options& o) { o.nproc_per_node = "gpu"; }),
              ElementsAre("--nproc-per-node: 'gpu', but there is no GPU here (no /dev/nvidia0)"));
}

TEST(Plan, RefusesWhatIsNoNumberOfRanks) {
  for (const std::string count : {"0", "-1", "two", "", "1.5", "2 ", "1048577", "99999999999999999999"}) {
    EXPECT_THAT(problems_with([&](Options& o) { o.nproc_per_node = count; }),
                ElementsAre("--nproc-per-node: '" + count +
                            "' is neither a number from 1 to 1048576 nor auto, cpu or gpu"));
  }
}

TEST(Plan, BindsNobodyWhenThereAreMoreRanksThanCores) {
  const PlanResult result = plan_with([](Options& o) { o.nproc_per_node = "9"; });
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(result.notes,
              ElementsAre("9 ranks with 1 thread each want more than the 8 cores here: not bound to cores"));
  for (const WorkerPlan& worker : result.plan.workers) {
    EXPECT_THAT(worker.cores, IsEmpty());
    EXPECT_EQ(worker.environment.at("OMP_NUM_THREADS"), "1");
  }
}

TEST(Plan, SaysWhenOneRankWantsMoreThanThereIs) {
  const PlanResult result = plan_with([](Options& o) { o.nproc_per_node = "1", o.threads_per_rank = 9; });
  EXPECT_THAT(result.notes,
              ElementsAre("1 rank with 9 threads wants more than the 8 cores here: not bound to cores"));
  EXPECT_THAT(
      plan_with([](Options& o) { o.nproc_per_node = "1", o.threads_per_rank = 2; }, {"train"}, host_with(1))
          .notes,
      ElementsAre("1 rank with 2 threads wants more than the 1 core here: not bound to cores"));
}

TEST(Plan, BindsNobodyIfAsked) {
  const PlanResult result = plan_with([](Options& o) { o.nproc_per_node = "9", o.bind = Binding::kNone; });
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_THAT(plan_with([](Options& o) { o.bind = Binding::kNone; }).plan.workers[0].cores, IsEmpty());
}

TEST(Plan, TellsWorkersWhatTorchrunTellsThem) {
  const Plan plan = good_plan([](Options& o) {
    o.nproc_per_node = "2", o.nnodes = "3", o.node_rank = 2, o.master_addr = "10.0.0.1", o.role = "trainer",
    o.max_restarts = 4, o.rdzv_id = "night";
  });
  ASSERT_EQ(plan.workers.size(), 2U);
  EXPECT_EQ(plan.workers[1].environment,
            (std::map<std::string, std::string>{{"RANK", "5"},
                                                {"LOCAL_RANK", "1"},
                                                {"WORLD_SIZE", "6"},
                                                {"LOCAL_WORLD_SIZE", "2"},
                                                {"GROUP_RANK", "2"},
                                                {"GROUP_WORLD_SIZE", "3"},
                                                {"ROLE_RANK", "5"},
                                                {"ROLE_WORLD_SIZE", "6"},
                                                {"ROLE_NAME", "trainer"},
                                                {"MASTER_ADDR", "10.0.0.1"},
                                                {"MASTER_PORT", "29500"},
                                                {"TORCHELASTIC_MAX_RESTARTS", "4"},
                                                {"TORCHELASTIC_RUN_ID", "night"},
                                                {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                                                {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
                                                {"OMP_NUM_THREADS", "4"},
                                                {"MKL_NUM_THREADS", "4"},
                                                {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}}));
  EXPECT_EQ(plan.workers[1].rank, 5);
  EXPECT_EQ(plan.workers[1].local_rank, 1);
  EXPECT_EQ(plan.workers[1].prefix, "[trainer5]:");
  EXPECT_EQ(plan.node_rank, 2);
  EXPECT_EQ(plan.node_count, 3);
  EXPECT_FALSE(plan.is_local());
}

TEST(Plan, KeepsWhatTheUserHasSet) {
  HostFacts host = host_with(8);
  host.environment = {{"OMP_NUM_THREADS", "7"},
                      {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"},
                      {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=2"},
                      {"RANK", "99"}};
  const Plan plan = good_plan([](Options&) {}, {"train"}, host);
  EXPECT_EQ(variable(plan, 0, "OMP_NUM_THREADS"), "(unset)");
  EXPECT_EQ(variable(plan, 0, "GLIBC_TUNABLES"), "(unset)");
  EXPECT_EQ(variable(plan, 0, "MKL_NUM_THREADS"), "1");
  EXPECT_EQ(variable(plan, 0, "TORCH_NCCL_ASYNC_ERROR_HANDLING"), "(unset)");
  EXPECT_EQ(variable(plan, 0, "RANK"), "0");
}

TEST(Plan, MeetsOnAFreePortOfThisHostByItself) {
  const Plan plan = good_plan([](Options&) {});
  EXPECT_EQ(variable(plan, 0, "MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(variable(plan, 0, "MASTER_PORT"), "40123");
  EXPECT_EQ(plan.run_id, "abc");
  EXPECT_EQ(variable(good_plan([](Options& o) { o.master_port = 5000; }), 0, "MASTER_PORT"), "5000");
}

TEST(Plan, NeedsAMeetingPointForSeveralHosts) {
  EXPECT_THAT(
      problems_with([](Options& o) { o.nnodes = "2"; }),
      ElementsAre("--master-addr is needed with several hosts: the address of the one with --node-rank 0"));
  EXPECT_EQ(good_plan([](Options& o) { o.nnodes = "2", o.master_addr = "n0"; }).run_id, "none");
}

TEST(Plan, TakesTheMeetingPointFromAnEndpoint) {
  struct Case {
    const char* endpoint;
    const char* address;
    const char* port;
  };
  for (const Case& c :
       {Case{"n0", "n0", "29500"}, Case{"n0:123", "n0", "123"}, Case{"[fe80::1]:123", "fe80::1", "123"},
        Case{"[fe80::1]", "fe80::1", "29500"}, Case{"fe80::1", "fe80::1", "29500"}}) {
    const Plan plan = good_plan([&](Options& o) { o.nnodes = "2", o.rdzv_endpoint = c.endpoint; });
    EXPECT_EQ(variable(plan, 0, "MASTER_ADDR"), c.address) << c.endpoint;
    EXPECT_EQ(variable(plan, 0, "MASTER_PORT"), c.port) << c.endpoint;
  }
  const Plan both = good_plan([](Options& o) {
    o.nnodes = "2", o.rdzv_endpoint = "n0:123", o.master_addr = "n1", o.master_port = 456;
  });
  EXPECT_EQ(variable(both, 0, "MASTER_ADDR"), "n1");
  EXPECT_EQ(variable(both, 0, "MASTER_PORT"), "456");
  const Plan alone = good_plan([](Options& o) { o.rdzv_endpoint = "localhost:0x", o.rdzv_endpoint = ":77"; });
  EXPECT_EQ(variable(alone, 0, "MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(variable(alone, 0, "MASTER_PORT"), "77");
}

TEST(Plan, RefusesWhatIsNoEndpoint) {
  for (const std::string endpoint : {"n0:", "n0:0", "n0:65536", "n0:http", "[::1]:x"}) {
    EXPECT_THAT(problems_with([&](Options& o) { o.rdzv_endpoint = endpoint; }),
                ElementsAre("--rdzv-endpoint: '" + endpoint + "' is not HOST or HOST:PORT"));
  }
}

TEST(Plan, TakesANumberOfHostsThatDoesNotChange) {
  EXPECT_EQ(good_plan([](Options& o) { o.nnodes = "2:2", o.master_addr = "n0"; }).node_count, 2);
  EXPECT_THAT(problems_with([](Options& o) { o.nnodes = "1:4"; }),
              ElementsAre("--nnodes: '1:4': the number of hosts cannot change here, give one number"));
  for (const std::string count : {"0", "x", "", "1:", ":1", "1:x", "1:1:1"}) {
    EXPECT_THAT(problems_with([&](Options& o) { o.nnodes = count; }),
                ElementsAre("--nnodes: '" + count + "' is not a number of hosts"));
  }
}

TEST(Plan, StartsPythonForAScript) {
  EXPECT_THAT(good_plan([](Options&) {}, {"train.py", "--lr", "1"}).command,
              ElementsAre("python3", "-u", "train.py", "--lr", "1"));
  EXPECT_THAT(good_plan([](Options& o) { o.no_python = true; }, {"./train.py"}).command,
              ElementsAre("./train.py"));
  EXPECT_THAT(good_plan([](Options&) {}, {"train", "x.py"}).command, ElementsAre("train", "x.py"));
}

TEST(Plan, ShowsAllOutputByItself) {
  const Plan plan = good_plan([](Options&) {});
  EXPECT_EQ(plan.workers[0].to_console, (Streams{true, true}));
  EXPECT_EQ(plan.workers[0].to_file, (Streams{false, false}));
  EXPECT_FALSE(plan.log_dir);
}

TEST(Plan, KeepsAllOutputWithALogFolderAlone) {
  const Plan plan = good_plan([](Options& o) { o.log_dir = "logs"; });
  EXPECT_EQ(plan.workers[0].to_console, (Streams{true, true}));
  EXPECT_EQ(plan.workers[0].to_file, (Streams{true, true}));
  EXPECT_EQ(plan.log_dir, "logs");
}

TEST(Plan, RedirectsAndTees) {
  const Plan plan =
      good_plan([](Options& o) { o.log_dir = "logs", o.redirects = "0:3,1:2", o.tee = "0:1,2:2"; });
  EXPECT_EQ(plan.workers[0].to_file, (Streams{true, true}));
  EXPECT_EQ(plan.workers[0].to_console, (Streams{true, false}));  // to be teed counts more
  EXPECT_EQ(plan.workers[1].to_file, (Streams{false, true}));
  EXPECT_EQ(plan.workers[1].to_console, (Streams{true, false}));
  EXPECT_EQ(plan.workers[2].to_file, (Streams{false, true}));
  EXPECT_EQ(plan.workers[2].to_console, (Streams{true, true}));
  EXPECT_EQ(plan.workers[3].to_file, (Streams{false, false}));
  EXPECT_EQ(plan.workers[3].to_console, (Streams{true, true}));
}

TEST(Plan, NeedsAFolderForFiles) {
  for (const auto& change : std::vector<std::function<void(Options&)>>{[](Options& o) { o.redirects = "3"; },
                                                                       [](Options& o) { o.tee = "0:1"; }}) {
    EXPECT_THAT(problems_with(change),
                ElementsAre("--redirects and --tee need --log-dir, the folder for the files"));
  }
}

TEST(Plan, ShowsOnlyTheRanksThatAreAskedFor) {
  const auto shown = [](const Plan& plan) {
    std::vector<int> ranks;
    for (const WorkerPlan& worker : plan.workers) {
      if (worker.to_console.out) {
        ranks.push_back(worker.rank);
      }
      EXPECT_EQ(worker.to_console.out, worker.to_console.err);
    }
    return ranks;
  };
  const auto on_second_host = [](Options& o) {
    o.nproc_per_node = "4", o.nnodes = "2", o.node_rank = 1, o.master_addr = "n0";
  };
  EXPECT_THAT(shown(good_plan([&](Options& o) {
                on_second_host(o), o.local_ranks_filter = {0, 3};
              })),
              ElementsAre(4, 7));
  EXPECT_THAT(shown(good_plan([&](Options& o) {
                on_second_host(o), o.ranks_filter = {0, 5};
              })),
              ElementsAre(5));
  EXPECT_THAT(shown(good_plan([&](Options& o) {
                on_second_host(o), o.ranks_filter = {5, 6}, o.local_ranks_filter = {0, 1};
              })),
              ElementsAre(5));
}

TEST(Plan, EndsOnTheSignalsThatAreAskedFor) {
  EXPECT_THAT(good_plan([](Options&) {}).ending_signals,
              ::testing::UnorderedElementsAre(SIGTERM, SIGINT, SIGHUP, SIGQUIT));
  EXPECT_THAT(good_plan([](Options& o) {
                o.signals_to_handle = {"SIGTERM", "usr1"};
              }).ending_signals,
              ::testing::UnorderedElementsAre(SIGTERM, SIGUSR1));
  EXPECT_THAT(problems_with([](Options& o) {
                o.signals_to_handle = {"SIGTREM", "SIGKILL"};
              }),
              ElementsAre("--signals-to-handle: 'SIGTREM' is no signal; did you mean 'SIGTERM'?",
                          "--signals-to-handle: no process can handle SIGKILL"));
}

TEST(Plan, ListsAllProblemsAtOnce) {
  const PlanResult result = plan_with(
      [](Options& o) {
        o.module = true, o.rdzv_id = "../x", o.nproc_per_node = "0", o.nnodes = "2", o.node_rank = 2,
        o.standalone = true, o.redirects = "9", o.signals_to_handle = {"SIGX"};
      },
      {});
  EXPECT_THAT(
      result.problems,
      ElementsAre("no program given", "-m: write the command as it is: lockstep run ... python3 -m MODULE",
                  "--rdzv-id: '../x' cannot be the name of a folder for the logs",
                  "--nproc-per-node: '0' is neither a number from 1 to 1048576 nor auto, cpu or gpu",
                  "--standalone means one host, --nnodes says 2",
                  "--node-rank: 2 is not below the 2 of --nnodes",
                  "--master-addr is needed with several hosts: the address of the one with --node-rank 0",
                  "--signals-to-handle: 'SIGX' is no signal",
                  "--redirects: '9' is neither 0, 1, 2 or 3 nor a list like 0:3,1:1"));
}

TEST(Plan, RefusesARunThatCannotBeAFolder) {
  for (const std::string id : {"", ".", "..", "a/b"}) {
    EXPECT_THAT(problems_with([&](Options& o) { o.rdzv_id = id; }),
                ElementsAre("--rdzv-id: '" + id + "' cannot be the name of a folder for the logs"));
  }
}

TEST(Plan, TakesC10dAsStatic) {
  EXPECT_THAT(plan_with([](Options& o) { o.rdzv_backend = "c10d"; }).problems, IsEmpty());
}

TEST(Plan, TellsWorkersThatAreShownOfTheTerminal) {
  HostFacts host = host_with(8);
  const auto two_ranks_one_shown = [](Options& options) {
    options.nproc_per_node = "2";
    options.local_ranks_filter = {1};
  };
  EXPECT_EQ(variable(good_plan(two_ranks_one_shown, {"train"}, host), 1, "LOCKSTEP_TERMINAL"), "(unset)");
  host.terminal = "/dev/pts/7";
  const Plan plan = good_plan(two_ranks_one_shown, {"train"}, host);
  EXPECT_EQ(variable(plan, 0, "LOCKSTEP_TERMINAL"), "(unset)");
  EXPECT_EQ(variable(plan, 1, "LOCKSTEP_TERMINAL"), "/dev/pts/7");
}

}  // namespace
}  // namespace lockstep::run
