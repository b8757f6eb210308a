#include "parity/bench_run.h"

#include <c10/util/StringUtil.h>
#include <torch/torch.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bench_worker/step/training_task.h"
#include "lockstep/distributed_data_parallel.h"
#include "parity/digests.h"
#include "parity/dump.h"
#include "parity/training.h"

namespace lockstep::testing {
namespace {

// Samples for all steps at once: a batch trained over and over is soon learnt, and then gradients say little.
bench::TrainingTask task_of(const BenchRun& run, int rank) {
  bench::TrainingCase training = run.training;
  training.batch *= run.steps;
  return bench::make_task(training, rank);
}

class BenchRepeat {
 public:
  BenchRepeat(World& world, const BenchRun& run);

  BenchRunResult run();

 private:
  torch::Tensor step(int index);
  void compare_digests(int steps_taken);
  void compare_final();

  const BenchRun& run_;
  const Dump own_;   // of the peer's rank of the same number
  const Dump lead_;  // of its rank 0, whose buffers all ranks get
  const torch::Tensor losses_ = own_.tensor("losses");
  const torch::Tensor digests_ = lead_.tensor("digests");
  bench::TrainingTask task_;
  DistributedDataParallel<std::shared_ptr<bench::Net>> replica_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> state_;
  std::unique_ptr<Digests> digests_of_;
  BenchRunResult result_;
};

BenchRepeat::BenchRepeat(World& world, const BenchRun& run)
    : run_(run),
      own_(run.folder / std::to_string(world.rank())),
      lead_(run.folder / "0"),
      task_(task_of(run, world.rank())),
      replica_(task_.net, world),
      optimizer_(make_optimizer(run.optimizer, replica_, run.parameters)) {
  std::size_t longest = 0;
  for (const auto& tensors : {replica_.named_parameters(), replica_.named_buffers()}) {
    for (const auto& tensor : tensors) {
      names_.push_back(tensor.key());
      state_.push_back(tensor.value());
      longest = std::max(longest, tensor.value().nbytes());
    }
  }
  digests_of_ = std::make_unique<Digests>(longest);
  result_.tensors = state_.size();
}

BenchRunResult BenchRepeat::run() {
  compare_digests(0);
  for (int i = 0; i < run_.steps; ++i) {
    result_.losses.compare(c10::str("loss of step ", i), step(i), losses_[i]);
    compare_digests(i + 1);
  }
  compare_final();
  result_.buckets = replica_.stats().last.buckets;
  result_.finite = losses_.isfinite().all().item<bool>();
  return result_;
}

torch::Tensor BenchRepeat::step(int index) {
  const std::int64_t batch = run_.training.batch;
  const bench::TrainingTask part{.net = task_.net,
                                 .input = task_.input.narrow(0, index * batch, batch),
                                 .target = task_.target.narrow(0, index * batch, batch)};
  const torch::Tensor loss = part.loss(replica_(part.input));
  loss.backward();
  optimizer_->step();
  optimizer_->zero_grad();
  return loss.detach();
}

void BenchRepeat::compare_digests(int steps_taken) {
  const torch::Tensor actual = digests_of_->of(state_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i);
    result_.digests.compare(c10::str(names_[i], " after ", steps_taken, " steps"), actual[column],
                            digests_[steps_taken][column]);
  }
}

void BenchRepeat::compare_final() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    result_.final.compare(names_[i], state_[i].detach(), lead_.tensor("final/" + names_[i]));
  }
}

}  // namespace

BenchRunResult repeat_bench_run(World& world, const BenchRun& run) {
  return BenchRepeat(world, run).run();
}

}  // namespace lockstep::testing
