// A training program in which things go wrong when it is told so: a linear classifier of made-up samples.

#include <lockstep/lockstep.h>
#include <torch/torch.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace train = lockstep::train;

constexpr std::chrono::milliseconds kStallTime{5000};

enum class Trouble {
  kNone,
  kThrow,
  kData,
  kLabel,
  kNan,
  kNanOnce,
  kKill,
  kStop,
  kMetrics,
  kModel,
  kStall,
  kTerminate,
  kTerminateEvaluation,
  kTerminateStart,
  kMemory,
  kFullDisk,
  kTerminateSaving,
  kDrift,
};

struct TroubleOptions {
  Trouble kind = Trouble::kNone;
  int rank = 0;
  std::int64_t step = 1;
  std::filesystem::path gate;

  void describe(lockstep::config::Description& d) {
    d.option("kind", kind, "what goes wrong")
        .choices({{"none", Trouble::kNone},
                  {"throw", Trouble::kThrow},
                  {"data", Trouble::kData},
                  {"label", Trouble::kLabel},
                  {"nan", Trouble::kNan},
                  {"nan-once", Trouble::kNanOnce},
                  {"kill", Trouble::kKill},
                  {"stop", Trouble::kStop},
                  {"metrics", Trouble::kMetrics},
                  {"model", Trouble::kModel},
                  {"stall", Trouble::kStall},
                  {"terminate", Trouble::kTerminate},
                  {"terminate-evaluation", Trouble::kTerminateEvaluation},
                  {"terminate-start", Trouble::kTerminateStart},
                  {"memory", Trouble::kMemory},
                  {"full-disk", Trouble::kFullDisk},
                  {"terminate-saving", Trouble::kTerminateSaving},
                  {"drift", Trouble::kDrift}});
    d.option("rank", rank, "on which rank");
    d.option("step", step, "in which step, from 1");
    d.option("gate", gate, "a file without which nothing of a checkpoint comes to the disk on that rank");
  }
};

// What is wrong with the disk of this process. The loop sets it, and the thread that saves meets it.
struct DiskTrouble {
  std::atomic<Trouble> kind = Trouble::kNone;
  std::atomic<bool> met = false;
  std::filesystem::path gate;  // set before anything is saved
};
DiskTrouble disk_trouble;

bool is_of_checkpoint(int fd) {
  std::error_code ignored;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
  return path.extension() == ".safetensors";
}

// Takes the place of the C library's.
extern "C" int fsync(int fd) {
  if (is_of_checkpoint(fd)) {
    while (!disk_trouble.gate.empty() && !std::filesystem::exists(disk_trouble.gate)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (disk_trouble.kind == Trouble::kTerminateSaving && !disk_trouble.met.exchange(true)) {
      kill(getpid(), SIGTERM);
    }
    if (disk_trouble.kind == Trouble::kFullDisk) {
      disk_trouble.met = true;
      errno = ENOSPC;
      return -1;
    }
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

// Sample 5 cannot be had, if so wanted.
class Samples final : public lockstep::Dataset {
 public:
  Samples(std::uint64_t size, bool broken)
      : samples_({.size = size, .shape = {6}, .classes = 3}), broken_(broken) {}

  std::uint64_t size() const override { return samples_.size(); }
  lockstep::Tensors get(std::uint64_t index, lockstep::SampleRandom& random) const override {
    if (broken_ && index == 5) {
      throw std::runtime_error("the disk has gone");
    }
    return samples_.get(index, random);
  }

 private:
  lockstep::SyntheticDataset samples_;
  bool broken_;
};

class TroubledTask : public train::Task, public train::Callback {
 public:
  std::string name() const override { return "troubled"; }

  void set_defaults(train::Options& options) override {
    options.batch_size = 6;
    options.epochs = 2;
    options.log_every = 1;
    options.progress = false;
  }
  void describe(lockstep::config::Description& d) override {
    d.option("samples", samples_, "to train with");
    d.option("eval-samples", eval_samples_, "to evaluate with");
    d.option("weighted", weighted_, "samples weigh one more than their label");
    d.option("dropout", dropout_, "of inputs").range(0.0, 0.9);
    d.option("batch-norm", batch_norm_, "of inputs");
    d.option("hidden", hidden_, "neurons between inputs and scores; 0: there is no such layer");
    d.option("sample-log", sample_log_, "folder in which each rank notes the samples it trains with");
    d.group("trouble", "What goes wrong", trouble_);
  }

  train::TaskData data() override {
    const bool broken = trouble_.kind == Trouble::kData && is_here();
    return {.train = std::make_shared<Samples>(samples_, broken),
            .eval = std::make_shared<Samples>(eval_samples_, false)};
  }
  std::shared_ptr<torch::nn::Module> model() override {
    if (trouble_.kind == Trouble::kModel && is_here()) {
      throw std::runtime_error("no model on this rank");
    }
    if (trouble_.kind == Trouble::kTerminateStart && is_here()) {
      std::raise(SIGTERM);
    }
    disk_trouble.gate = is_here() ? trouble_.gate : "";
    net_ = torch::nn::Sequential();
    if (batch_norm_) {
      net_->push_back("norm", torch::nn::BatchNorm1d(6));
    }
    if (hidden_ > 0) {
      net_->push_back("hidden", torch::nn::Linear(6, hidden_));
    }
    net_->push_back("scores", torch::nn::Linear(hidden_ > 0 ? hidden_ : 6, 3));
    return net_.ptr();
  }
  std::vector<std::shared_ptr<train::Callback>> callbacks() override {
    return {std::shared_ptr<train::Callback>(std::shared_ptr<void>(), this)};
  }

  bool has_weights() const override { return weighted_; }
  double weight(const lockstep::Batch& batch) const override {
    return (batch.target() + 1).sum().item<double>();
  }

  train::Output step(const lockstep::Batch& batch) override {
    torch::Tensor target = batch.target();
    if (net_->is_training() && is_here() && is_now()) {
      cause_trouble(target);
    }
    if (!net_->is_training() && trouble_.kind == Trouble::kTerminateEvaluation && is_here() &&
        step_ == trouble_.step) {
      std::raise(SIGTERM);
    }
    if (net_->is_training()) {
      await_disk_trouble();
    }
    note_samples(batch);
    const torch::Tensor scores = net_->forward(torch::dropout(batch.input(), dropout_, net_->is_training()));
    torch::Tensor loss = loss_of(scores, target);
    if (trouble_.kind == Trouble::kMemory) {
      loss = loss * (1 + 0.01 * ++remembered_);  // which no checkpoint knows of
    }
    if (net_->is_training() && poisons()) {
      loss = loss * std::numeric_limits<double>::quiet_NaN();
    }
    std::vector<train::MetricSum> metrics = {train::accuracy(scores, target)};
    if (trouble_.kind == Trouble::kMetrics && is_here() && is_now()) {
      metrics.push_back({"surprise", 1, 1});
    }
    return {.loss = loss, .metrics = metrics};
  }

  void on_begin(const train::RunInfo& info) override {
    step_ = info.steps_done;
    remembered_ = 0;
  }
  void on_step(const train::StepInfo& info) override { step_ = info.step; }
  std::string wants_to_stop() override {
    return trouble_.kind == Trouble::kStop && is_here() && step_ == trouble_.step ? "it has seen enough" : "";
  }

 private:
  torch::Tensor loss_of(const torch::Tensor& scores, const torch::Tensor& target) const {
    if (!weighted_) {
      return torch::nn::functional::cross_entropy(scores, target);
    }
    const auto each = torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone);
    return (torch::nn::functional::cross_entropy(scores, target, each) * (target + 1)).sum() /
           (target + 1).sum();
  }
  void note_samples(const lockstep::Batch& batch) const {
    if (net_->is_training() && !sample_log_.empty()) {
      std::ofstream log(sample_log_ / std::getenv("RANK"), std::ios::app);
      for (const std::uint64_t index : batch.samples.indices) {
        log << index << "\n";
      }
    }
  }
  bool is_here() const { return std::to_string(trouble_.rank) == std::string(std::getenv("RANK")); }
  bool is_now() const { return step_ + 1 == trouble_.step; }
  bool poisons() const {
    return is_here() && (trouble_.kind == Trouble::kNan ? step_ + 1 >= trouble_.step
                                                        : trouble_.kind == Trouble::kNanOnce && is_now());
  }
  void cause_trouble(torch::Tensor& target) const {
    if (trouble_.kind == Trouble::kThrow) {
      throw std::runtime_error("a bolt came loose");
    }
    if (trouble_.kind == Trouble::kLabel) {
      target = target + 7;
    }
    if (trouble_.kind == Trouble::kStall) {
      std::this_thread::sleep_for(kStallTime);
    }
    if (trouble_.kind == Trouble::kKill) {
      std::raise(SIGKILL);
    }
    if (trouble_.kind == Trouble::kTerminate) {
      std::raise(SIGTERM);
    }
    if (trouble_.kind == Trouble::kDrift) {
      const torch::NoGradGuard no_grad;
      net_->parameters()[0] += 1;
    }
    disk_trouble.kind = trouble_.kind;
  }
  // Steps are so short that many could pass before the disk is asked at all.
  void await_disk_trouble() const {
    while (trouble_.kind == Trouble::kFullDisk && is_here() && step_ == trouble_.step && !disk_trouble.met) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::uint64_t samples_ = 30;
  std::uint64_t eval_samples_ = 7;
  bool weighted_ = false;
  bool batch_norm_ = false;
  double dropout_ = 0;
  std::int64_t hidden_ = 0;
  std::filesystem::path sample_log_;
  TroubleOptions trouble_;
  std::int64_t step_ = 0;
  int remembered_ = 0;
  torch::nn::Sequential net_ = nullptr;
};

int main(int argc, char** argv) {
  return train::main<TroubledTask>(argc, argv);
}
