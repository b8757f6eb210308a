#include "bench_worker/training_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(std::string_view text) {
  std::vector<std::string> names;
  for (const TrainingCase& training : parse_training_cases(text)) {
    names.push_back(to_string(training));
  }
  return names;
}

TEST(TrainingCase, OfAModelAloneAreTheUsualBatches) {
  EXPECT_THAT(names_of("mlp"), ElementsAre("mlp:32", "mlp:128"));
  EXPECT_THAT(names_of("gpt"), ElementsAre("gpt:2", "gpt:8"));
  EXPECT_THAT(names_of("resnet18"), ElementsAre("resnet18:8"));
}

TEST(TrainingCase, MayHaveABatchOfItsOwn) {
  EXPECT_THAT(parse_training_cases("gpt:3"), ElementsAre(TrainingCase{.model = Model::kGpt, .batch = 3}));
  EXPECT_THAT(names_of("mlp-tiny:4096"), ElementsAre("mlp-tiny:4096"));
}

TEST(TrainingCase, IsReadAsItIsWritten) {
  for (const Model model : kModels) {
    const TrainingCase training{.model = model, .batch = 7};
    EXPECT_THAT(parse_training_cases(to_string(training)), ElementsAre(training));
  }
}

TEST(TrainingCase, KnowsWhoNormalizesOverTheBatch) {
  EXPECT_TRUE(has_batch_norm(Model::kResNet18));
  EXPECT_FALSE(has_batch_norm(Model::kMlp));
  EXPECT_FALSE(has_batch_norm(Model::kGpt));
}

TEST(TrainingCase, RefusesAModelThatThereIsNot) {
  for (const char* text : {"vgg", "", ":2", "MLP"}) {
    try {
      parse_training_cases(text);
      FAIL() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
      EXPECT_EQ(error.message(), "there is no model '" +
                                     std::string(text).substr(0, std::string(text).find(':')) +
                                     "'; there are mlp, gpt and resnet18");
    }
  }
}

TEST(TrainingCase, RefusesABatchThatIsNone) {
  for (const char* batch : {"", "0", "-1", "4097", "2x", " 2", "99999999999999999999"}) {
    try {
      parse_training_cases("mlp:" + std::string(batch));
      FAIL() << "accepted: " << batch;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
      EXPECT_EQ(error.message(), "'" + std::string(batch) + "' is not a batch size from 1 to 4096");
    }
  }
}

}  // namespace
}  // namespace lockstep::bench
