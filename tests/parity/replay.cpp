#include "parity/replay.h"

#include <c10/util/StringUtil.h>
#include <torch/torch.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "lockstep/distributed_data_parallel.h"
#include "parity/dump.h"
#include "parity/models.h"
#include "parity/training.h"

namespace lockstep::testing {
namespace {

// libtorch's AdamW on the same gradients, in C++ and in Python: optimizer_test.cpp.
constexpr double kAdamWTolerance = 1e-6;

bool is_uneven(const ReplayCase& run) {
  return run.scenario.compare(0, 6, "uneven") == 0;
}

double parameter_tolerance(const ReplayCase& run) {
  return run.optimizer == "adamw" ? std::max(run.tolerance, kAdamWTolerance) : run.tolerance;
}

DdpOptions options_of(const ReplayCase& run) {
  DdpOptions options{.bucket_caps = run.bucket_caps};
  options.divisor = run.scenario == "uneven_all_ranks" ? Divisor::kAllRanks : Divisor::kRanksWithData;
  return options;
}

void copy_parameters(Model& model, const Dump& dump, const std::string& prefix) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.named_parameters()) {
    parameter.value().copy_(dump.tensor(prefix + parameter.key()));
  }
}

class Replay {
 public:
  Replay(World& world, const ReplayCase& run);

  ReplayResult run();

 private:
  void train();
  void pass(std::int64_t index);
  void step();
  void compare_gradients();
  void compare_parameters();
  void compare_buffers();
  std::string name_of(std::string_view kind) const { return c10::str(kind, "/", step_, "/"); }

  const ReplayCase& run_;
  const int rank_;
  const Dump own_;   // of the peer's rank of the same number
  const Dump lead_;  // of its last rank, which has data for all steps
  const torch::Tensor inputs_ = own_.tensor("inputs");
  const torch::Tensor targets_ = own_.tensor("targets");
  const torch::Tensor losses_ = own_.tensor("losses");
  const torch::Tensor synchronise_ = own_.tensor("synchronise");
  const torch::Tensor detours_ = own_.tensor("detours");
  std::shared_ptr<Model> model_;
  std::optional<DistributedDataParallel<std::shared_ptr<Model>>> replica_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  int step_ = 0;
  ReplayResult result_;
};

Replay::Replay(World& world, const ReplayCase& run)
    : run_(run),
      rank_(world.rank()),
      own_(run.folder / std::to_string(world.rank())),
      lead_(run.folder / std::to_string(world.size() - 1)),
      model_(make_model(run.model, run.scenario == "unused")),
      result_{.losses = Comparison(run.tolerance),
              .gradients = Comparison(run.tolerance),
              .parameters = Comparison(parameter_tolerance(run)),
              .buffers = Comparison(run.tolerance),
              .expected_gradients = lead_.count("gradient/")} {
  if (rank_ == 0) {
    copy_parameters(*model_, lead_, "parameter/0/");
  }
  replica_.emplace(model_, world, options_of(run));
  optimizer_ = make_optimizer(run.optimizer, *replica_, run.parameters);
}

ReplayResult Replay::run() {
  if (is_uneven(run_)) {
    auto join = replica_->join([this] { step(); });
    train();
    join.wait();
  } else {
    train();
  }
  for (const auto& parameter : replica_->named_parameters()) {
    result_.parameters.compare("final " + parameter.key(), parameter.value(),
                               own_.tensor("final/" + parameter.key()));
  }
  compare_buffers();
  result_.buckets = replica_->stats().last.buckets;
  return result_;
}

// The peer sends the buffers before a forward and we after a backward, so in the end all ranks have here what only the
// rank they come from has there; which one that is with uneven inputs, the two decide differently.
void Replay::compare_buffers() {
  const auto buffers = replica_->named_buffers();
  if (is_uneven(run_) || buffers.is_empty()) {
    return;
  }
  const Dump first(run_.folder / "0");
  for (const auto& buffer : buffers) {
    result_.buffers.compare(buffer.key(), buffer.value(), first.tensor("buffer/" + buffer.key()));
  }
}

void Replay::train() {
  for (std::int64_t i = 0; i < inputs_.size(0); ++i) {
    if (synchronise_[i].item<bool>()) {
      pass(i);
      step();
    } else {
      const auto accumulate = replica_->no_sync();
      pass(i);
    }
  }
}

void Replay::pass(std::int64_t index) {
  const torch::Tensor output = (*replica_)(inputs_[index], detours_[index].item<bool>());
  const torch::Tensor loss = model_->loss(output, targets_[index]);
  loss.backward();
  result_.losses.compare(c10::str("loss of pass ", index), loss.detach(), losses_[index]);
}

// A rank without data takes it too, so it is held to the same gradients.
void Replay::step() {
  compare_gradients();
  optimizer_->step();
  optimizer_->zero_grad();
  ++step_;
  if (lead_.count(name_of("parameter")) > 0) {
    compare_parameters();
  }
}

void Replay::compare_gradients() {
  replica_->gradients();  // whole from here on, whatever the optimizer
  for (const auto& parameter : replica_->named_parameters()) {
    const std::string name = name_of("gradient") + parameter.key();
    result_.gradients.compare(name, parameter.value().grad(),
                              lead_.has(name) ? lead_.tensor(name) : torch::Tensor());
  }
}

void Replay::compare_parameters() {
  for (const auto& parameter : replica_->named_parameters()) {
    const std::string name = name_of("parameter") + parameter.key();
    result_.parameters.compare(name, parameter.value().detach(), lead_.tensor(name));
  }
  if (run_.follow_peer) {
    copy_parameters(*model_, lead_, name_of("parameter"));
  }
}

}  // namespace

ReplayResult replay(World& world, const ReplayCase& run) {
  return Replay(world, run).run();
}

}  // namespace lockstep::testing
