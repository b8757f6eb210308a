#include "bench_worker/step/training_task.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::bench {
namespace {

std::int64_t parameter_count(const TrainingTask& task) {
  std::int64_t count = 0;
  for (const auto& parameter : task.net->parameters()) {
    count += parameter.numel();
  }
  return count;
}

TEST(TrainingTask, HasModelsOfTheSizeThatTheyShouldHave) {
  // 784 x 1024, 6 x 1024 x 1024 and 1024 x 10, with biases.
  EXPECT_EQ(parameter_count(make_task({.model = Model::kMlp, .batch = 1}, 0)), 7'111'690);
  // Embeddings, positions and output of width 256 and 6 blocks of 12 x 256 x 256 and a little more.
  EXPECT_EQ(parameter_count(make_task({.model = Model::kGpt, .batch = 1}, 0)), 8'949'760);
  EXPECT_EQ(parameter_count(make_task({.model = Model::kResNet18, .batch = 1}, 0)), 11'173'962);
}

TEST(TrainingTask, HasAnMlpOfTheWidthItIsAskedFor) {
  // 784 x 352, 6 x 352 x 352 and 352 x 10, with biases.
  EXPECT_EQ(parameter_count(make_task({.model = Model::kMlp, .batch = 1, .width = 352}, 0)), 1'025'386);
}

// What an untrained model says is nearly as good as guessing.
TEST(TrainingTask, StartsWithTheLossOfGuessing) {
  for (const auto& [model, classes] : {std::pair(Model::kMlp, 10), std::pair(Model::kMlpTiny, 4),
                                       std::pair(Model::kGpt, 8192), std::pair(Model::kResNet18, 10)}) {
    const TrainingTask task = make_task({.model = model, .batch = 8}, 0);
    const double loss = task.loss(task.net->forward(task.input)).item<double>();
    EXPECT_NEAR(loss, std::log(classes), 0.6) << to_string(model);
  }
}

TEST(TrainingTask, GivesAllRanksOneModelAndEachABatchOfItsOwn) {
  const TrainingTask first = make_task({.model = Model::kMlpTiny, .batch = 4}, 0);
  const TrainingTask second = make_task({.model = Model::kMlpTiny, .batch = 4}, 1);
  const auto theirs = second.net->parameters();
  std::size_t i = 0;
  for (const auto& parameter : first.net->parameters()) {
    EXPECT_TRUE(at::equal(parameter, theirs[i++]));
  }
  EXPECT_FALSE(at::equal(first.input, second.input));
  EXPECT_EQ(first.input.size(0), 4);
}

// A token must not see those after it.
TEST(TrainingTask, HasATransformerThatDoesNotLookAhead) {
  const TrainingTask task = make_task({.model = Model::kGpt, .batch = 1}, 0);
  const at::Tensor before = task.net->forward(task.input);
  at::Tensor changed = task.input.clone();
  changed[0][40] = (changed[0][40] + 1) % 8192;
  const at::Tensor after = task.net->forward(changed);
  EXPECT_TRUE(at::allclose(before.narrow(1, 0, 40), after.narrow(1, 0, 40)));
  EXPECT_FALSE(at::allclose(before.narrow(1, 40, 24), after.narrow(1, 40, 24)));
}

}  // namespace
}  // namespace lockstep::bench
