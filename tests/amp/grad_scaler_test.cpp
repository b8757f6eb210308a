#include "lockstep/grad_scaler.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "ddp/ddp_ranks.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A parameter whose gradient is what the caller wants.
struct Toy {
  explicit Toy(std::int64_t size = 3) : parameter(torch::zeros({size}, torch::requires_grad())) {}

  void backward(const GradScaler& scaler, const torch::Tensor& factors) {
    optimizer.zero_grad();
    scaler.scale((parameter * factors).sum()).backward();
  }

  torch::Tensor parameter;
  torch::optim::SGD optimizer{{parameter}, torch::optim::SGDOptions(0.5).momentum(0.9)};
};

// Gradients that are fine, too large when scaled, infinite, and not a number, in a fixed order.
std::vector<std::vector<float>> gradient_sequence() {
  std::vector<std::vector<float>> rows;
  for (int step = 0; step < 40; ++step) {
    const float x = 0.37F * static_cast<float>(step % 11 - 5);
    rows.push_back({x, 1e-6F * x, step % 7 == 6 ? 3e37F : -x});
    if (step % 13 == 12) {
      rows.back()[1] = step % 2 == 0 ? kInf : kNan;
    }
  }
  return rows;
}

std::string run_ours(World& world) {
  GradScaler scaler(world.communicator(), {.initial_scale = 1024, .growth_interval = 3});
  Toy toy;
  std::ostringstream text;
  for (const auto& row : gradient_sequence()) {
    toy.backward(scaler, torch::tensor(row));
    scaler.step(toy.optimizer);
    scaler.update();
    text << scaler.current_scale();
    for (int i = 0; i < 3; ++i) {
      text << " " << std::bit_cast<std::uint32_t>(toy.parameter[i].item<float>());
    }
    text << "\n";
  }
  return text.str();
}

std::vector<std::vector<double>> numbers_in(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (double number = 0; words >> number;) {
      rows.back().push_back(number);
    }
  }
  return rows;
}

TEST(GradScaler, DoesWhatPyTorchDoesOnTheSameGradients) {
  const std::string python = LOCKSTEP_PEER_PYTHON;
  if (python.empty()) {
    GTEST_SKIP() << "no Python with this libtorch was found";
  }
  const TempDir folder;
  {
    std::ofstream file(folder.path() / "gradients");
    file.precision(9);
    for (const auto& row : gradient_sequence()) {
      file << row[0] << " " << row[1] << " " << row[2] << "\n";
    }
  }
  const auto peer = run_subprocess({python, LOCKSTEP_SCALER_PEER, (folder.path() / "gradients").string()}, {},
                                   Deadline::after(std::chrono::seconds(60)));
  ASSERT_TRUE(peer.status.ok()) << peer.standard_error;
  World world = World::join();
  EXPECT_EQ(numbers_in(run_ours(world)), numbers_in(peer.standard_output));
}

TEST(GradScaler, LetsGradientsOutAsTheyWouldBeWithoutIt) {
  World world = World::join();
  GradScaler scaler(world.communicator());
  Toy toy;
  toy.backward(scaler, torch::tensor({1.0F, -2.0F, 0.5F}));
  EXPECT_TRUE(torch::equal(toy.parameter.grad(), 65536 * torch::tensor({1.0F, -2.0F, 0.5F})));
  scaler.unscale_(toy.optimizer);
  EXPECT_TRUE(torch::equal(toy.parameter.grad(), torch::tensor({1.0F, -2.0F, 0.5F})));
  EXPECT_TRUE(scaler.step(toy.optimizer));
}

TEST(GradScaler, SkipsTheStepOnAllRanksWhenOneOverflows) {
  run_world(2, [](World& world) {
    GradScaler scaler(world.communicator(), {.initial_scale = 4});
    Toy toy;
    toy.backward(scaler, torch::tensor({1.0F, 1.0F, world.rank() == 1 ? kInf : 1.0F}));
    EXPECT_FALSE(scaler.step(toy.optimizer));
    scaler.update();
    EXPECT_EQ(scaler.current_scale(), 2);
    EXPECT_TRUE(torch::equal(toy.parameter, torch::zeros({3})));
  }).expect_all_ok();
}

TEST(GradScaler, UnscalesSparseGradients) {
  World world = World::join();
  GradScaler scaler(world.communicator(), {.initial_scale = 8});
  torch::nn::Embedding table(torch::nn::EmbeddingOptions(4, 2).sparse(true));
  torch::optim::SGD optimizer(table->parameters(), 1.0);
  scaler.scale(table(torch::tensor({1, 1, 3})).sum()).backward();
  scaler.unscale_(optimizer);
  EXPECT_TRUE(torch::equal(table->weight.grad().to_dense(),
                           torch::tensor({{0.0F, 0.0F}, {2.0F, 2.0F}, {0.0F, 0.0F}, {1.0F, 1.0F}})));
}

TEST(GradScaler, GrowsOnceForSeveralOptimizers) {
  World world = World::join();
  GradScaler scaler(world.communicator(), {.initial_scale = 4, .growth_interval = 1});
  Toy a;
  Toy b;
  a.backward(scaler, torch::ones({3}));
  b.backward(scaler, torch::full({3}, kInf));
  EXPECT_TRUE(scaler.step(a.optimizer));
  EXPECT_FALSE(scaler.step(b.optimizer));
  scaler.update();
  EXPECT_EQ(scaler.current_scale(), 2) << "one overflow is enough";
}

TEST(GradScaler, ShrinksForAStepThatIsLeftOut) {
  World world = World::join();
  GradScaler scaler(world.communicator(), {.initial_scale = 4});
  Toy toy;
  scaler.skip(toy.optimizer);
  scaler.update();
  EXPECT_EQ(scaler.state(), (GradScalerState{.scale = 2, .good_steps = 0}));
  toy.backward(scaler, torch::ones({3}));
  EXPECT_TRUE(scaler.step(toy.optimizer)) << "a new step";
}

TEST(GradScaler, GoesOnFromItsState) {
  World world = World::join();
  const GradScalerOptions options{.initial_scale = 4, .growth_interval = 3};
  GradScaler scaler(world.communicator(), options);
  Toy toy;
  for (int step = 0; step < 7; ++step) {
    GradScaler resumed(world.communicator(), options);
    resumed.restore(scaler.state());
    EXPECT_EQ(resumed.state(), scaler.state());
    toy.backward(scaler, torch::full({3}, step == 4 ? kNan : 1.0F));
    scaler.step(toy.optimizer);
    scaler.update();
  }
  EXPECT_EQ(scaler.state(), (GradScalerState{.scale = 4, .good_steps = 2}));
}

TEST(GradScaler, PassesEverythingThroughWhenItIsOff) {
  World world = World::join();
  GradScaler scaler(world.communicator(), {.enabled = false});
  Toy toy;
  toy.backward(scaler, torch::ones({3}));
  scaler.unscale_(toy.optimizer);
  EXPECT_TRUE(torch::equal(toy.parameter.grad(), torch::ones({3})));
  EXPECT_TRUE(scaler.step(toy.optimizer));
  EXPECT_NO_THROW(scaler.update());
  EXPECT_EQ(scaler.current_scale(), 1);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.message();
  }
}

TEST(GradScaler, SaysWhenItIsUsedInTheWrongOrder) {
  World world = World::join();
  GradScaler scaler(world.communicator());
  Toy toy;
  EXPECT_EQ(
      message_of([&] { scaler.update(); }),
      "there is nothing to adapt the scale to: no optimizer was unscaled or stepped since the last update()");
  toy.backward(scaler, torch::ones({3}));
  scaler.unscale_(toy.optimizer);
  EXPECT_EQ(message_of([&] { scaler.unscale_(toy.optimizer); }),
            "the gradients of this optimizer were unscaled before; call update() at the end of each step");
  scaler.step(toy.optimizer);
  EXPECT_EQ(message_of([&] { scaler.step(toy.optimizer); }),
            "this optimizer took its step before; call update() at the end of each step");
}

TEST(GradScaler, RefusesHalfPrecisionGradientsAndImpossibleFactors) {
  World world = World::join();
  torch::Tensor half = torch::zeros({2}, torch::TensorOptions(torch::kFloat16).requires_grad(true));
  torch::optim::SGD optimizer({half}, 1.0);
  half.sum().backward();
  GradScaler scaler(world.communicator());
  EXPECT_THAT(message_of([&] { scaler.unscale_(optimizer); }),
              ::testing::StartsWith("a gradient is float16"));
  for (const GradScalerOptions& wrong :
       {GradScalerOptions{.initial_scale = 0}, GradScalerOptions{.growth_factor = 1},
        GradScalerOptions{.backoff_factor = 1}, GradScalerOptions{.growth_interval = 0},
        GradScalerOptions{.initial_scale = std::nan("")}}) {
    EXPECT_THAT(message_of([&] { GradScaler(world.communicator(), wrong); }),
                ::testing::HasSubstr("cannot work"));
  }
}

}  // namespace
}  // namespace lockstep::testing
