#include "cli/run/placement_picture.h"

#include <gtest/gtest.h>

#include "cli/run/example_machine.h"

namespace lockstep::run {
namespace {

TEST(PlacementPicture, HasARowForEachCacheAndACellForEachCore) {
  const std::vector<WorkerPlan> workers = {{.rank = 4, .cores = {0, 4}}, {.rank = 5, .cores = {1, 2, 5, 6}}};
  EXPECT_EQ(placement_picture(hyperthreaded(2, 2), workers),
            "  package 0, node 0:  [0,4 rank 4] [1,5 rank 5]\n"
            "  package 0, node 0:  [2,6 rank 5] [3,7 -]\n");
}

TEST(PlacementPicture, ShowsRanksThatShareACore) {
  const std::vector<WorkerPlan> workers = {{.rank = 0, .cores = {0}}, {.rank = 1, .cores = {1}}, {.rank = 2}};
  EXPECT_EQ(placement_picture(hyperthreaded(1, 1), workers), "  package 0, node 0:  [0-1 ranks 0-1]\n");
}

}  // namespace
}  // namespace lockstep::run
