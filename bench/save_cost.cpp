// What does it cost to save 100 MB of state every 10 steps?
//
//   lockstep run -n 2 save_cost
//
// A network of 8.5 M parameters, with AdamW 102 MB of state, is trained by the loop that users have, with checkpoints while
// training goes on. One is begun every 20 steps; the 10 steps after it are compared with the next 10, in which none is
// written, so whatever else disturbs the machine meets both. Rank 0 prints the medians.

#include <lockstep/lockstep.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

namespace nn = torch::nn;
namespace train = lockstep::train;

namespace {

constexpr std::int64_t kBlock = 10;  // steps
constexpr std::int64_t kBlocks = 62;
constexpr std::int64_t kWidth = 1120;

using Clock = std::chrono::steady_clock;

// The time of each block of steps.
class Stopwatch : public train::Callback {
 public:
  void on_step(const train::StepInfo& info) override {
    if (info.step % kBlock == 0) {
      const auto now = Clock::now();
      milliseconds_.push_back(std::chrono::duration<double, std::milli>(now - last_).count());
      last_ = now;
    }
  }

  // Of the blocks first, first + 2, ...
  double median(std::size_t first) const {
    std::vector<double> chosen;
    for (std::size_t i = first; i < milliseconds_.size(); i += 2) {
      chosen.push_back(milliseconds_[i]);
    }
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(chosen.size() / 2),
                     chosen.end());
    return chosen[chosen.size() / 2];
  }

 private:
  Clock::time_point last_ = Clock::now();
  std::vector<double> milliseconds_;
};

class Network : public train::Task {
 public:
  std::string name() const override { return "save_cost"; }
  train::TaskData data() override {
    return {.train = std::make_shared<lockstep::SyntheticDataset>(
                lockstep::SyntheticOptions{.size = 4096, .shape = {784}, .classes = 10})};
  }
  std::shared_ptr<nn::Module> model() override {
    net_ = nn::Sequential(nn::Linear(784, kWidth), nn::ReLU());
    for (int layer = 0; layer < 6; ++layer) {
      net_->push_back(nn::Linear(kWidth, kWidth));
      net_->push_back(nn::ReLU());
    }
    net_->push_back(nn::Linear(kWidth, 10));
    return net_.ptr();
  }
  train::Output step(const lockstep::Batch& batch) override {
    return {.loss = nn::functional::cross_entropy(net_->forward(batch.input()), batch.target())};
  }

 private:
  nn::Sequential net_ = nullptr;
};

}  // namespace

int main() {
  return lockstep::guard_main([] {
    lockstep::World world = lockstep::World::join();
    at::set_num_threads(1);
    train::Options options;
    options.batch_size = 128 * static_cast<std::uint64_t>(world.size());
    options.max_steps = kBlock * kBlocks;
    options.optimizer.kind = lockstep::OptimizerKind::kAdamW;
    options.save_every = 2 * kBlock;
    options.checkpoints = std::filesystem::path("runs") / "save_cost";
    std::filesystem::remove_all(options.checkpoints);
    Network task;
    const auto watch = std::make_shared<Stopwatch>();
    train::run(task, options, world, {watch});
    if (world.rank() == 0) {
      const double with = watch->median(2);  // the first two blocks are for warming up
      const double without = watch->median(3);
      std::printf("10 steps: %.1f ms with a save of 102 MB, %.1f ms without: %+.1f %%\n", with, without,
                  100 * (with / without - 1));
      std::filesystem::remove_all(options.checkpoints);
    }
    return 0;
  });
}
