#include "topology/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

Topology machine(const std::string& name, const std::vector<int>& usable = {}) {
  return read_topology(std::string(LOCKSTEP_MACHINES) + "/" + name + ".xml", usable);
}

std::vector<std::vector<int>> threads_by_core(const Topology& topology) {
  std::vector<std::vector<int>> threads;
  for (const Core& core : topology.cores) {
    threads.push_back(core.threads);
  }
  return threads;
}

std::vector<int> caches_by_core(const Topology& topology) {
  std::vector<int> caches;
  for (const Core& core : topology.cores) {
    caches.push_back(core.cache);
  }
  return caches;
}

TEST(Topology, HasTheHardwareThreadsOfACoreTogether) {
  const Topology topology = machine("hyperthreads");
  EXPECT_THAT(threads_by_core(topology),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(topology.threads(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Topology, KnowsPackagesAndNumaNodes) {
  const Topology topology = machine("two_sockets");
  ASSERT_EQ(topology.cores.size(), 8U);
  EXPECT_EQ(topology.cores[3].package, 0);
  EXPECT_EQ(topology.cores[3].node, 0);
  EXPECT_EQ(topology.cores[4].package, 1);
  EXPECT_EQ(topology.cores[4].node, 1);
}

TEST(Topology, KnowsWhichCoresShareACache) {
  EXPECT_THAT(caches_by_core(machine("chiplets")), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3));
}

TEST(Topology, HasOnlyWhatMayBeUsed) {
  const Topology topology = machine("hyperthreads", {1, 3, 5});
  EXPECT_THAT(threads_by_core(topology), ElementsAre(ElementsAre(1, 5), ElementsAre(3)));
  EXPECT_THAT(caches_by_core(machine("chiplets", {4, 10})), ElementsAre(0, 1));
}

TEST(Topology, TakesThreadsForCoresWhereNothingElseIsKnown) {
  EXPECT_THAT(threads_by_core(machine("threads_only")),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(Topology, OfNothingUsableIsAnError) {
  EXPECT_THROW(machine("hyperthreads", {99}), Error);
  EXPECT_THROW(machine("no_such_machine"), Error);
}

TEST(Topology, OfThisMachineRespectsTheAffinityMask) {
  const std::vector<int> before = read_topology().threads();
  ASSERT_FALSE(before.empty());
  cpu_set_t old_set;
  ASSERT_EQ(sched_getaffinity(0, sizeof old_set, &old_set), 0);
  EXPECT_EQ(before.size(), static_cast<std::size_t>(CPU_COUNT(&old_set)));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(before.back()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_THAT(read_topology().threads(), ElementsAre(before.back()));
  ASSERT_EQ(sched_setaffinity(0, sizeof old_set, &old_set), 0);
}

}  // namespace
}  // namespace lockstep
