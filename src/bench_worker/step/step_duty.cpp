#include "bench_worker/step/step_duty.h"

#include <ATen/Parallel.h>
#include <torch/optim/optimizer.h>
#include <torch/optim/sgd.h>
#include <torch/version.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "base/random_token.h"
#include "bench_worker/step/training_task.h"
#include "launch/allocator.h"
#include "lockstep/distributed_data_parallel.h"
#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"
#include "lockstep/version.h"
#include "lockstep/world.h"

namespace lockstep::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kLearningRate = 0.01;
constexpr double kMomentum = 0.9;

// Identifies the rank as a launcher would. All ranks are on this host, where nothing listens on a port; address and
// port only have to be the same on all of them.
void set_identity(const WorkerOptions& worker, const std::string& token) {
  setenv("RANK", std::to_string(worker.rank).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(worker.size).c_str(), 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", "1", 1);
  setenv("TORCHELASTIC_RUN_ID", token.c_str(), 1);
}

class StepDuty final : public Duty {
 public:
  explicit StepDuty(const StepWorkerOptions& options) : options_(options) {
    at::set_num_threads(1);
    if (options.training.width > 0) {
      // A batch that is trained for thousands of steps is memorised, and gradients become denormal numbers, which the
      // processor handles slowly: an artefact of the task, not of data-parallel training.
      at::globalContext().setFlushDenormal(true);
    }
  }

  std::string invite() override { return random_token(); }

  Answer carry_out(const Order& order) override {
    if (order.kind == OrderKind::kJoin) {
      return prepare(order.invitation);
    }
    if (order.kind != OrderKind::kMeasure || order.iterations < 1 || order.iterations > kMostIterations) {
      throw Error(ErrorCode::kInvalidArgument, "this worker does 1 to " + std::to_string(kMostIterations) +
                                                   " training steps, not " +
                                                   std::to_string(order.iterations) + " of something else");
    }
    return train(order.iterations);
  }

 private:
  using Ddp = DistributedDataParallel<std::shared_ptr<Net>>;

  // Joining a world sets the allocator's thresholds; a rank without a world needs them too.
  Answer prepare(const std::string& invitation) {
    task_ = make_task(options_.training, options_.worker.rank);
    keep_large_blocks();
    // Ranks that do not communicate also synchronise before each step.
    if (averages(options_.method) || options_.worker.size > 1) {
      set_identity(options_.worker, invitation);
      world_.emplace(World::join());
    }
    if (averages(options_.method)) {
      ddp_.emplace(task_.net, *world_);
    }
    optimizer_ = make_optimizer();
    Answer answer;
    answer.text = std::string("lockstep ") + version() + " on libtorch " + TORCH_VERSION;
    return answer;
  }

  std::unique_ptr<torch::optim::Optimizer> make_optimizer() {
    const auto sgd = torch::optim::SGDOptions(kLearningRate).momentum(kMomentum);
    if (options_.method == Method::kSharded) {
      return std::make_unique<optim::ShardedSGD>(*ddp_, sgd);
    }
    if (options_.method == Method::kSharedParameters) {
      return std::make_unique<optim::ShardedSGD>(
          *ddp_, sgd, optim::ShardOptions{.parameters = optim::Parameters::kShared});
    }
    return std::make_unique<torch::optim::SGD>(task_.net->parameters(), sgd);
  }

  // The first step, after others had the cores, does not count.
  Answer train(int steps) {
    if (optimizer_ == nullptr) {
      throw Error(ErrorCode::kInvalidArgument, "this worker was not told to join before it is to train");
    }
    Answer answer;
    torch::Tensor loss;
    for (int i = 0; i <= steps; ++i) {
      if (world_) {
        world_->communicator().barrier();
      }
      const auto start = SteadyClock::now();
      loss = step();
      const std::chrono::nanoseconds time = SteadyClock::now() - start;
      if (i > 0) {
        answer.times_ns.push_back(time.count());
      }
    }
    answer.loss = loss.item<double>();
    if (!std::isfinite(answer.loss)) {
      throw Error(ErrorCode::kCorrupt, "the loss is " + std::to_string(answer.loss));
    }
    return answer;
  }

  torch::Tensor step() {
    optimizer_->zero_grad();
    torch::Tensor loss = task_.loss(ddp_ ? ddp_->forward(task_.input) : task_.net->forward(task_.input));
    loss.backward();
    if (options_.method != Method::kCompute) {
      optimizer_->step();
    }
    return loss;
  }

  StepWorkerOptions options_;
  TrainingTask task_;
  std::optional<World> world_;
  std::optional<Ddp> ddp_;                              // after the world, which must outlive it
  std::unique_ptr<torch::optim::Optimizer> optimizer_;  // after the replica, whose slices it may use
};

}  // namespace

std::unique_ptr<Duty> make_step_duty(const StepWorkerOptions& options) {
  return std::make_unique<StepDuty>(options);
}

}  // namespace lockstep::bench
