#include "cli/bench/step/ratio.h"

#include <gtest/gtest.h>

#include <set>

namespace lockstep::bench::step {
namespace {

constexpr Ratio kGain{"gain", "gain", Quantity::kTime, ratios::kPytorchDdp, ratios::kDdp, 1.25, true};
constexpr Ratio kLoss{"loss", "loss", Quantity::kMemory, ratios::kDdp, ratios::kNoComm, 1.12, false};

TEST(Ratio, IsReachedAtItsLimit) {
  EXPECT_TRUE(reaches(kGain, 1.25));
  EXPECT_FALSE(reaches(kGain, 1.2499));
  EXPECT_TRUE(reaches(kLoss, 1.12));
  EXPECT_FALSE(reaches(kLoss, 1.1201));
}

TEST(Ratio, SaysWhatIsDivided) {
  EXPECT_EQ(formula(kGain), "the best of pytorch-ddp, pytorch-ddp-view and pytorch-ddp-fused / ddp");
  EXPECT_EQ(formula(kLoss), "memory in all: ddp / no-comm");
}

TEST(Ratio, HasANameAndAKeyOfItsOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> keys;
  for (const Ratio& ratio : kRatios) {
    names.insert(ratio.name);
    keys.insert(ratio.key);
  }
  EXPECT_EQ(names.size(), kRatios.size());
  EXPECT_EQ(keys.size(), kRatios.size());
}

}  // namespace
}  // namespace lockstep::bench::step
