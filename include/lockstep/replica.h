#pragma once

// One rank's replica of a module, kept in sync with the others: everything about DistributedDataParallel that does not
// depend on the type of the module.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/comm_hook.h"
#include "lockstep/gradient_sync.h"
#include "lockstep/world.h"

namespace lockstep {

class BackwardSync;
class ParameterSlices;

// How module buffers, such as the running statistics of batch norm, are synchronised after a synchronised backward.
enum class BufferSync {
  kBroadcast,  // all ranks take those of rank 0, or of the first rank with data
  kAverage,    // floating-point module buffers are averaged, others as with kBroadcast
  kNone,
};

struct DdpOptions {
  // The sizes in bytes at which successive buckets are full; the last one repeats. Empty: the measured best.
  std::vector<std::size_t> bucket_caps = {};
  Progress progress = Progress::kAuto;
  Divisor divisor = Divisor::kRanksWithData;
  BufferSync buffers = BufferSync::kBroadcast;
  // The same parameters get gradients in every step, so unused ones are not tracked.
  bool static_graph = false;
  std::shared_ptr<CommHook> comm_hook = nullptr;
  // With a lockstep::optim optimizer, backward leaves the averages only in this rank's slices of .grad, which is all
  // that the optimizer needs; the rest of .grad holds this rank's own gradients. True: all of .grad is averaged, at the
  // cost of a push. Without such an optimizer, or after it is destroyed, all of .grad is always averaged.
  bool full_gradients = false;
};

struct StepTimes {
  std::chrono::nanoseconds forward{0};
  std::chrono::nanoseconds backward{0};               // from the first gradient to the last
  std::chrono::nanoseconds communication_hidden{0};   // overlapped with backward
  std::chrono::nanoseconds communication_exposed{0};  // after backward
  std::size_t bytes = 0;                              // of this rank's buckets
  std::size_t buckets = 0;
};

struct DdpStats {
  std::uint64_t steps = 0;  // synchronised steps
  StepTimes last;
  StepTimes mean;
};

class Replica {
 public:
  // Collective: checks that the module is the same on all ranks and broadcasts its state from rank 0. The world must
  // outlive the replica.
  Replica(torch::nn::Module& module, World& world, DdpOptions options = {});
  Replica(Replica&&) noexcept;
  Replica& operator=(Replica&&) noexcept;
  ~Replica();

  // The module's parameters and module buffers, under their own names.
  std::vector<torch::Tensor> parameters() const;
  torch::OrderedDict<std::string, torch::Tensor> named_parameters() const;
  torch::OrderedDict<std::string, torch::Tensor> named_buffers() const;
  // Whether any parameter has sparse gradients: embeddings that ask for them.
  bool has_sparse_gradients() const;

  // While it is alive, backward only accumulates. The first backward after it sends the sum. Only the backward counts:
  // forward may be inside the scope or not.
  class [[nodiscard]] NoSync {
   public:
    explicit NoSync(Replica& replica);
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;
    ~NoSync();

   private:
    Replica& replica_;
  };
  NoSync no_sync() { return NoSync(*this); }

  // For ranks with different numbers of batches. A rank that leaves the scope before the others keeps taking part in
  // their steps, with zeros, until all have left.
  //
  //   {
  //     auto join = model.join([&] { optimizer.step(); });
  //     for (const auto& batch : loader) { ... }
  //   }
  //
  // `step` is called after every step of the other ranks, so that parameters and optimizer state stay bit-identical on
  // every rank. Without it, the parameters of a rank that took part in all steps are broadcast at the end, and the
  // optimizer state is up to you.
  class [[nodiscard]] Join {
   public:
    Join(Replica& replica, std::function<void()> step);
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;
    ~Join();  // wait(), unless an exception is propagating; an error is logged

    // The same as the destructor, but throws errors.
    void wait();

   private:
    Replica& replica_;
    std::function<void()> step_;
    int exceptions_;
    bool waited_ = false;
  };
  Join join(std::function<void()> step = {}) { return Join(*this, std::move(step)); }
  // For a rank that has no samples in a step in which others have: takes part in their backward with zeros, instead of
  // running its own. Its .grad is then the same as theirs.
  void backward_without_data();
  // How many samples the next backward represents; for Divisor::kSamples.
  void set_samples(double samples);
  // How many ranks had data in the last synchronised backward.
  int ranks_with_data() const;

  // The averages of the last synchronised backward by parameter name, complete even where .grad held slices; .grad is
  // complete afterwards too. Parameters without a gradient are left out. Between a backward in no_sync() and the next
  // one outside it, this rank's own sums. Collective when a lockstep::optim optimizer is in use, unless
  // DdpOptions::full_gradients.
  torch::OrderedDict<std::string, torch::Tensor> gradients();

  // Scales all gradients so that their norm is at most `max_norm`, and returns the norm before that, the same on all
  // ranks. It calls gradients(); a lockstep::optim optimizer clips at less cost (ShardOptions::max_norm). Throws
  // Error{kInvalidArgument} when the norm is not finite and `error_if_nonfinite`.
  double clip_grad_norm_(double max_norm, double norm_type = 2.0, bool error_if_nonfinite = false);

  // Runs `write`, which may modify the parameters in any way, without recording gradients; afterwards all ranks have
  // the values of rank 0. Collective. Required where an optimizer shares one set of parameters among the ranks
  // (optim::Parameters::kShared), and correct everywhere:
  //
  //   model.write_parameters([&] { torch::load(net, "weights.pt"); });
  //
  // When `write` throws on any rank, no shared parameter has changed, and the other ranks get Error{kAborted}.
  void write_parameters(const std::function<void()>& write);

  // Compares the parameters of all ranks, by a hash of their bits. Collective. Throws Error{kMismatch} when they
  // differ, with the first parameter that differs and the ranks that hold other values: some rank did not call
  // optimizer.step(), or wrote to its parameters. Training programs call it when a run finishes. Programs compiled
  // without NDEBUG call it whenever a DistributedDataParallel is destroyed, and log a difference.
  void check_replicas() const;

  // The table of buckets.
  std::string describe() const;
  DdpStats stats() const;

 protected:
  // Called before and after a forward of the module.
  void begin_forward();
  void end_forward(const std::vector<torch::Tensor>& outputs);
  // check_replicas() for a destructor: logs what it finds. Does nothing while an exception is propagating.
  void check_replicas_at_end() const noexcept;

 private:
  friend class ParameterSlices;

  std::shared_ptr<BackwardSync> sync_;
};

}  // namespace lockstep
