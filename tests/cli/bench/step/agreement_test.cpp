#include "cli/bench/step/agreement.h"

#include <gtest/gtest.h>

#include "lockstep/error.h"

namespace lockstep::bench::step {
namespace {

constexpr TrainingCase kAnyCase{.model = Model::kMlp, .batch = 32};

TEST(Agreement, LeavesOutThoseThatDoNotTrain) {
  EXPECT_NO_THROW(
      require_agreement(kAnyCase, {{Variant::kCompute, {3.0, 3.1}}, {Variant::kNoComm, {2.0, 2.1}}}));
}

TEST(Agreement, LetsThoseWhoShareAndThoseWhoDoNotDiffer) {
  EXPECT_NO_THROW(require_agreement(kAnyCase, {{Variant::kNoComm, {2.0, 2.1}},
                                               {Variant::kDdp, {2.3, 2.4}},
                                               {Variant::kDdpOneRank, {2.0}},
                                               {Variant::kPlainOneRank, {2.0}},
                                               {Variant::kPytorchDdp, {2.3, 2.4}}}));
}

TEST(Agreement, AllowsForSumsInAnotherOrder) {
  EXPECT_NO_THROW(require_agreement(kAnyCase, {{Variant::kDdp, {2.3}}, {Variant::kPytorchDdp, {2.30001}}}));
}

TEST(Agreement, NamesTwoThatDoNotTrainTheSame) {
  try {
    require_agreement(kAnyCase, {{Variant::kDdp, {2.3, 2.4}}, {Variant::kPytorchDdpView, {2.3, 2.41}}});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMismatch);
    EXPECT_EQ(
        error.message(),
        "ddp and pytorch-ddp-view do not train the same: after the warm-up of mlp:32 rank 1 has a loss of "
        "2.400000 with the one and 2.410000 with the other");
  }
}

TEST(Agreement, FindsAVariantThatSharesWhereItShouldNot) {
  EXPECT_THROW(require_agreement(kAnyCase, {{Variant::kNoComm, {2.0, 2.1}}, {Variant::kPlainOneRank, {2.3}}}),
               Error);
}

TEST(Agreement, HoldsTheWholeBatchToTheMeanOfItsParts) {
  EXPECT_NO_THROW(
      require_agreement(kAnyCase, {{Variant::kSharded, {2.3, 2.4}}, {Variant::kPytorchThreads, {2.35}}}));
  try {
    require_agreement(kAnyCase, {{Variant::kSharded, {2.3, 2.4}}, {Variant::kPytorchThreads, {2.3}}});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMismatch);
    EXPECT_EQ(error.message(),
              "sharded and pytorch-threads do not train the same: after the warm-up of mlp:32 the ranks have "
              "a mean "
              "loss of 2.350000 with the one and the whole batch has 2.300000 with the other");
  }
}

TEST(Agreement, KnowsThatBatchNormTellsAWholeBatchFromItsParts) {
  const TrainingCase with_batch_norm{.model = Model::kResNet18, .batch = 8};
  EXPECT_NO_THROW(
      require_agreement(with_batch_norm, {{Variant::kDdp, {2.3, 2.4}}, {Variant::kPytorchThreads, {2.3}}}));
  EXPECT_THROW(require_agreement(with_batch_norm,
                                 {{Variant::kPytorchThreads, {2.3}}, {Variant::kPytorchThreadsFused, {2.4}}}),
               Error);
}

TEST(Agreement, TakesNoLossAtAllForAgreement) {
  EXPECT_NO_THROW(require_agreement(kAnyCase, {}));
}

}  // namespace
}  // namespace lockstep::bench::step
