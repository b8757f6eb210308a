// The parts of the loop that need no second rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "lockstep/error.h"
#include "train/averaged_weights.h"
#include "train/best_metric.h"
#include "train/forward_pass.h"
#include "train/metric_text.h"
#include "train/micro_batches.h"
#include "train/resume_check.h"
#include "train/step_window.h"
#include "train/text_exchange.h"
#include "train/together.h"

namespace lockstep::train {
namespace {

using ::testing::ElementsAre;

Batch batch_of(std::int64_t size) {
  Batch batch{.tensors = {torch::arange(size), torch::arange(size) * 10}, .samples = {}};
  for (std::int64_t i = 0; i < size; ++i) {
    batch.samples.indices.push_back(static_cast<std::uint64_t>(100 + i));
  }
  return batch;
}

TEST(MicroBatches, CutABatchInOrderAndLeaveTheRestForTheLast) {
  const std::vector<Batch> pieces = cut(batch_of(7), 3);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_THAT(pieces[1].samples.indices, ElementsAre(103, 104, 105));
  EXPECT_TRUE(torch::equal(pieces[1].target(), torch::tensor({30, 40, 50})));
  EXPECT_EQ(pieces[2].size(), 1);
  EXPECT_EQ(pieces[2].input().item<std::int64_t>(), 6);
}

TEST(MicroBatches, AreOneOfABatchThatIsSmallAndNoneOfNone) {
  EXPECT_EQ(cut(batch_of(3), 3).size(), 1U);
  EXPECT_TRUE(cut(Batch{}, 3).empty());
}

// A weight that was 1 at first and is 5 since, with its average.
class AveragedWeight : public ::testing::Test {
 protected:
  AveragedWeight() {
    net_->weight.fill_(5.0);
    weights_.update();
  }

  float average() const { return weights_.named()[0].tensor.item<float>(); }
  static torch::nn::Linear net_of_one() {
    torch::nn::Linear net(1, 1);
    net->weight.fill_(1.0);
    return net;
  }

  torch::NoGradGuard no_gradients_;
  torch::nn::Linear net_ = net_of_one();
  AveragedWeights weights_{*net_, 0.75};
};

struct TiedNetImpl : torch::nn::Module {
  torch::Tensor weight = register_parameter("first", torch::ones({1}));
  torch::Tensor again = register_parameter("second", weight);
};
TORCH_MODULE(TiedNet);

TEST(AveragedWeights, OfAParameterWithTwoNamesIsOne) {
  const torch::NoGradGuard no_gradients;
  TiedNet net;
  AveragedWeights weights(*net, 0.75);
  net->weight.fill_(5.0);
  weights.update();
  {
    const auto averaged = weights.in_place();
    EXPECT_FLOAT_EQ(net->weight.item<float>(), 2.0F);
  }
  EXPECT_FLOAT_EQ(net->weight.item<float>(), 5.0F);
  ASSERT_EQ(weights.named().size(), 2U);
  EXPECT_EQ(weights.named()[0].name, "first");
  EXPECT_EQ(weights.named()[1].name, "second");
  for (const snapshot::NamedTensor& average : weights.named()) {
    EXPECT_FLOAT_EQ(average.tensor.item<float>(), 2.0F) << average.name;
  }
}

TEST_F(AveragedWeight, FollowsTheParameter) {
  EXPECT_FLOAT_EQ(average(), 2.0F);
  weights_.update();
  EXPECT_FLOAT_EQ(average(), 2.75F);
}

TEST_F(AveragedWeight, TakesThePlaceOfTheParameterForAWhile) {
  {
    const auto averaged = weights_.in_place();
    EXPECT_FLOAT_EQ(net_->weight.item<float>(), 2.0F);
  }
  EXPECT_FLOAT_EQ(net_->weight.item<float>(), 5.0F);
  EXPECT_FLOAT_EQ(average(), 2.0F);
}

TEST(BestMetric, KeepsTheBestAndCountsTheOthers) {
  BestMetric best({.metric = "accuracy", .higher_is_better = true, .patience = 2});
  const auto at = [&](std::int64_t step, double accuracy) {
    return best.observe(step, {{"loss", 1}, {"accuracy", accuracy}});
  };
  EXPECT_TRUE(at(1, 0.5));
  EXPECT_FALSE(at(2, 0.5));
  EXPECT_TRUE(at(3, 0.6));
  EXPECT_FALSE(at(4, std::nan("")));
  EXPECT_FALSE(best.is_out_of_patience());
  EXPECT_FALSE(at(5, 0.4));
  EXPECT_TRUE(best.is_out_of_patience());
  EXPECT_EQ(best.state().step, 3);
  EXPECT_EQ(best.state().metrics[1].value, 0.6);
}

TEST(BestMetric, IsNeverANumberThatIsNone) {
  BestMetric best({});
  EXPECT_FALSE(best.observe(1, {{"loss", std::nan("")}}));
  EXPECT_TRUE(best.observe(2, {{"loss", 3}}));
  EXPECT_TRUE(best.observe(3, {{"loss", 2}}));
}

TEST(ResumeCheck, MissesFilesOfEitherCheckpoint) {
  const checkpoint::FileEntry model{.name = "model.safetensors", .bytes = 3, .checksum = "a"};
  const checkpoint::FileEntry other{.name = "model.safetensors", .bytes = 3, .checksum = "b"};
  const checkpoint::FileEntry averages{.name = "ema.safetensors", .bytes = 3, .checksum = "a"};
  const checkpoint::FileEntry options{.name = "config.json", .bytes = 3, .checksum = "a"};
  EXPECT_EQ(differing_files({.files = {model, options}}, {.files = {model}}), "");
  EXPECT_EQ(differing_files({.files = {model, averages}}, {.files = {model}}), "ema.safetensors");
  EXPECT_EQ(differing_files({.files = {model}}, {.files = {averages, model}}), "ema.safetensors");
  EXPECT_EQ(differing_files({.files = {model, averages}}, {.files = {other}}),
            "ema.safetensors, model.safetensors");
}

StepInfo step_info(std::int64_t step, double loss, std::uint64_t samples) {
  return {.step = step,
          .epoch = 0.5,
          .loss = loss,
          .metrics = {{"accuracy", loss / 2}},
          .learning_rate = 0.1,
          .samples = samples,
          .seconds = {.data = 0.5, .backward = 1, .communication = 0.5}};
}

TEST(StepWindow, AveragesOverSamplesAndTime) {
  StepWindow window;
  EXPECT_TRUE(window.is_empty());
  window.add(step_info(1, 2, 30));
  window.add(step_info(2, 6, 10));
  const MetricRow row = window.row(9);
  EXPECT_EQ(row.step, 2);
  EXPECT_EQ(row.seconds, 9);
  EXPECT_EQ(row.values[0], (MetricValue{"loss", 3}));
  EXPECT_EQ(row.values[1], (MetricValue{"accuracy", 1.5}));
  EXPECT_EQ(window.samples_per_second(), 10);
  EXPECT_EQ(window.communication_share(), 0.25);
  window.clear();
  EXPECT_TRUE(window.is_empty());
}

// Means are those of all its steps, rates those of the steps whose time is known.
TEST(StepWindow, GoesOnWhereItWas) {
  StepSums before;
  add_step(before, step_info(1, 2, 30));
  StepWindow window(before);
  EXPECT_TRUE(window.is_empty());
  window.add(step_info(2, 6, 10));
  EXPECT_FALSE(window.is_empty());
  EXPECT_EQ(window.row(9).values[0], (MetricValue{"loss", 3}));
  EXPECT_EQ(window.samples_per_second(), 5);
}

TEST(MetricText, SaysAccuracyInPercent) {
  EXPECT_EQ(metric_text("accuracy", 0.98123), "98.12 %");
  EXPECT_EQ(metric_text("loss", 0.000012345), "1.234e-05");
  EXPECT_EQ(metric_text("loss", std::numeric_limits<double>::infinity()), "inf");
}

TEST(MetricText, SaysWhatIsAboutToBegin) {
  EXPECT_EQ(begin_text({.steps = 4400,
                        .steps_per_epoch = 22,
                        .batch_size = 64,
                        .batches = "64 samples a step = 2 ranks x 32",
                        .parameters = 65898}),
            "training 65,898 parameters for 4,400 steps, 22 an epoch; 64 samples a step = 2 ranks x 32");
}

TEST(MetricText, SaysHowItEnded) {
  Summary summary{.steps = 440, .epochs = 2.5, .skipped_steps = 1, .samples = 5000, .seconds = 2};
  EXPECT_EQ(summary_text(summary),
            "trained 2.50 epochs, 440 steps in 2.00 s (2,500 samples/s); 1 step was skipped");
  summary.evaluation = {{"loss", 0.5}, {"accuracy", 0.9}};
  summary.skipped_steps = 0;
  summary.stopped = "enough";
  EXPECT_EQ(
      summary_text(summary),
      "trained 2.50 epochs, 440 steps in 2.00 s (2,500 samples/s); evaluation: loss 0.5, accuracy 90.00 %; "
      "stopped early: enough");
}

TEST(Lines, AreWhatStandsBetweenLineEnds) {
  EXPECT_THAT(lines_of("one\n\nthree"), ElementsAre("one", "", "three"));
  EXPECT_THAT(lines_of("one\n"), ElementsAre("one"));
  EXPECT_TRUE(lines_of("").empty());
}

class Stubborn : public Task {
 public:
  explicit Stubborn(std::function<Output()> step) : step_(std::move(step)) {}
  std::string name() const override { return "stubborn"; }
  TaskData data() override { return {}; }
  std::shared_ptr<torch::nn::Module> model() override { return nullptr; }
  Output step(const Batch& /*batch*/) override { return step_(); }

 private:
  std::function<Output()> step_;
};

std::string failure_of(std::function<Output()> step) {
  Stubborn task(std::move(step));
  try {
    forward(task, batch_of(10), Precision::kFloat32, "training");
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(ForwardPass, NamesTheSamplesOfABatchThatFails) {
  EXPECT_EQ(failure_of([]() -> Output { throw std::runtime_error("too cold"); }),
            "training with samples 100, 101, 102, 103, 104, 105, 106, 107, ... (10 in all): too cold");
  EXPECT_EQ(
      failure_of([] { return Output{}; }),
      "training with samples 100, 101, 102, 103, 104, 105, 106, 107, ... (10 in all): the task gave no loss");
  EXPECT_EQ(
      failure_of([] {
        return Output{.loss = torch::zeros({2, 3})};
      }),
      "training with samples 100, 101, 102, 103, 104, 105, 106, 107, ... (10 in all): the loss has to be one "
      "number and has shape [2, 3]");
}

TEST(ForwardPass, ComputesInThePrecisionThatIsAskedFor) {
  torch::Dtype dtype = torch::kFloat32;
  Stubborn task([&] {
    dtype = torch::matmul(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type();
    return Output{.loss = torch::zeros({})};
  });
  forward(task, batch_of(1), Precision::kBFloat16, "training");
  EXPECT_EQ(dtype, torch::kBFloat16);
  forward(task, batch_of(1), Precision::kFloat32, "training");
  EXPECT_EQ(dtype, torch::kFloat32);
}

TEST(Failure, IsSaidByTheRankItIsFrom) {
  const auto is_mine = [](const Error& error, int rank) {
    return is_mine_to_say(std::make_exception_ptr(error), rank);
  };
  EXPECT_TRUE(is_mine(Error(ErrorCode::kInvalidConfig, "x"), 1));
  EXPECT_FALSE(is_mine(Error(ErrorCode::kAborted, "x").with_peer(0), 1));
  EXPECT_TRUE(is_mine(Error(ErrorCode::kPeerLost, "x").with_peer(1), 0));
  EXPECT_FALSE(is_mine(Error(ErrorCode::kPeerLost, "x").with_peer(1), 2));
  EXPECT_TRUE(is_mine(Error(ErrorCode::kPeerLost, "x").with_peer(0), 1));
  EXPECT_TRUE(is_mine(Error(ErrorCode::kTimeout, "x").with_peer(1), 0));
  EXPECT_FALSE(is_mine(Error(ErrorCode::kTimeout, "x").with_peer(1), 1));
  EXPECT_TRUE(is_mine(Error(ErrorCode::kTimeout, "x"), 2));
  EXPECT_FALSE(is_mine(Error(ErrorCode::kMismatch, "x"), 1));
  EXPECT_TRUE(is_mine_to_say(std::make_exception_ptr(std::runtime_error("x")), 3));
}

}  // namespace
}  // namespace lockstep::train
