#include "launch/slurm_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(TaskCounts, AreWrittenOut) {
  EXPECT_THAT(expand_task_counts("2(x3),1"), Optional(ElementsAre(2, 2, 2, 1)));
  EXPECT_THAT(expand_task_counts("16"), Optional(ElementsAre(16)));
  EXPECT_THAT(expand_task_counts("1,2(x1),3"), Optional(ElementsAre(1, 2, 3)));
}

TEST(TaskCounts, AreRefusedInAnotherForm) {
  for (const char* text :
       {"", ",", "2,", ",2", "x", "2(x)", "2(x0)", "2(x3", "2x3)", "2(3)", "(x3)", "-1", "2 ", "2(x-1)",
        "2(x3)1", "4294967296", "2(x4294967296)", "1(x1048577)", "1(x1048576),1"}) {
    EXPECT_EQ(expand_task_counts(text), std::nullopt) << text;
  }
}

TEST(HostList, IsWrittenOut) {
  EXPECT_THAT(expand_hosts("node7"), Optional(ElementsAre("node7")));
  EXPECT_THAT(expand_hosts("gpu[08-10,12],login"),
              Optional(ElementsAre("gpu08", "gpu09", "gpu10", "gpu12", "login")));
  EXPECT_THAT(expand_hosts("a,b-1,c.d.e"), Optional(ElementsAre("a", "b-1", "c.d.e")));
  EXPECT_THAT(expand_hosts("n[9-11]"), Optional(ElementsAre("n9", "n10", "n11")));
  EXPECT_THAT(expand_hosts("n[1-2]-ib.site"), Optional(ElementsAre("n1-ib.site", "n2-ib.site")));
}

TEST(HostList, CountsTheLastBracketFastest) {
  EXPECT_THAT(expand_hosts("r[0-1]n[0-1]"), Optional(ElementsAre("r0n0", "r0n1", "r1n0", "r1n1")));
}

TEST(HostList, IsRefusedInAnotherForm) {
  for (const char* text : {"", ",", "a,", "a[", "a]", "a[]", "a[1-]", "a[-1]", "a[2-1]", "a[1", "a[1,]",
                           "a[b-c]", "a[1]b]", "a[[1]]", "a[0-4294967295]", "a[0-1048576]",
                           "a[0-2047]b[0-1023]", "a[0-1048575],b", "a[99999999999]"}) {
    EXPECT_EQ(expand_hosts(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lockstep
