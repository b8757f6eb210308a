#pragma once

// One rank's replica of a module, kept in step with the others: everything about DistributedDataParallel that does
// not depend on the type of the module.

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

// What happens to buffers, such as the running statistics of batch norm, at the end of a synchronised backward.
enum class BufferSync {
  kBroadcast,  // all ranks take those of rank 0
  kAverage,    // floating-point buffers are averaged, the rest is that of rank 0
  kNone,
};

struct DdpOptions {
  // Bytes at which a bucket is full, one after the other; the last one repeats. Empty: the measured best.
  std::vector<std::size_t> bucket_caps = {};
  Progress progress = Progress::kAuto;
  Divisor divisor = Divisor::kRanksWithData;
  BufferSync buffers = BufferSync::kBroadcast;
  // The same parameters get gradients in every step: nobody keeps count of the unused ones.
  bool static_graph = false;
  std::shared_ptr<CommHook> comm_hook = nullptr;
  // With an optimizer of lockstep::optim, backward leaves in .grad only this rank's slices of the averages, which
  // is what that optimizer needs; the rest of .grad is this rank's own. True: all of .grad, at the cost of a push.
  // Without such an optimizer, or when it is gone, .grad is always whole.
  bool full_gradients = false;
};

struct StepTimes {
  std::chrono::nanoseconds forward{0};
  std::chrono::nanoseconds backward{0};               // from its first gradient to the last
  std::chrono::nanoseconds communication_hidden{0};   // while backward still ran
  std::chrono::nanoseconds communication_exposed{0};  // after it
  std::size_t bytes = 0;                              // of the buckets of this rank
  std::size_t buckets = 0;
};

struct DdpStats {
  std::uint64_t steps = 0;  // synchronised ones
  StepTimes last;
  StepTimes mean;
};

class Replica {
 public:
  // Collective: compares the module over all ranks and broadcasts its state from rank 0. The world must outlive
  // the replica.
  Replica(torch::nn::Module& module, World& world, DdpOptions options = {});
  Replica(Replica&&) noexcept;
  Replica& operator=(Replica&&) noexcept;
  ~Replica();

  // Those of the module, under the names they have there.
  std::vector<torch::Tensor> parameters() const;
  torch::OrderedDict<std::string, torch::Tensor> named_parameters() const;
  torch::OrderedDict<std::string, torch::Tensor> named_buffers() const;
  // Whether there are parameters whose gradients are sparse: embeddings that ask for it.
  bool has_sparse_gradients() const;

  // While it lives, backward only accumulates. The first backward after it sends the sum. It is the backward that
  // counts: forward may be in its scope or not.
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

  // For ranks with different numbers of batches. A rank that leaves the scope before the others goes on taking part
  // in their steps, with zeros, until all have left.
  //
  //   {
  //     auto join = model.join([&] { optimizer.step(); });
  //     for (const auto& batch : loader) { ... }
  //   }
  //
  // `step` is called after every step of the others, so that parameters and the state of the optimizer stay the
  // same bits on every rank. Without it, the parameters of a rank that took part in all steps are broadcast in the
  // end; the state of the optimizer is then up to you.
  class [[nodiscard]] Join {
   public:
    Join(Replica& replica, std::function<void()> step);
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;
    ~Join();  // wait(), unless an exception is on its way; an error is logged

    // What the destructor does, with its errors.
    void wait();

   private:
    Replica& replica_;
    std::function<void()> step_;
    int exceptions_;
    bool waited_ = false;
  };
  Join join(std::function<void()> step = {}) { return Join(*this, std::move(step)); }
  // For a rank that has no samples in a step in which others have: in the place of its backward, takes part in theirs
  // with zeros. Its .grad is theirs then.
  void backward_without_data();
  // How many samples the next backward stands for; for Divisor::kSamples.
  void set_samples(double samples);
  // How many ranks had data in the last synchronised backward.
  int ranks_with_data() const;

  // The averages of the last synchronised backward by the names of their parameters, whole, whatever .grad held;
  // .grad is whole then too. Parameters without a gradient are left out. Between a backward in no_sync() and the
  // next one without, this rank's own sums. Collective when an optimizer of lockstep::optim is at work, unless
  // DdpOptions::full_gradients.
  torch::OrderedDict<std::string, torch::Tensor> gradients();

  // Scales all gradients so that their norm is at most `max_norm`, and returns what it was; the same on all ranks.
  // Needs gradients() to do so; an optimizer of lockstep::optim clips at less cost (ShardOptions::max_norm).
  // Throws Error{kInvalidArgument} when the norm is not finite and `error_if_nonfinite`.
  double clip_grad_norm_(double max_norm, double norm_type = 2.0, bool error_if_nonfinite = false);

  // Runs `write`, which may write to the parameters in any way, without recording gradients; afterwards all ranks
  // have the values of rank 0. Collective. Needed where an optimizer shares one set of parameters among the ranks
  // (optim::Parameters::kShared), and right everywhere:
  //
  //   model.write_parameters([&] { torch::load(net, "weights.pt"); });
  //
  // When it throws on any rank, no shared parameter has changed; the other ranks get Error{kAborted} then.
  void write_parameters(const std::function<void()>& write);

  // Compares the parameters of all ranks, by a hash of their bits. Collective. Throws Error{kMismatch} when they differ,
  // with the first parameter that does and the ranks that hold something else: one rank did not call optimizer.step(),
  // or wrote to its parameters. Training programs do so at their end; a program that is compiled without NDEBUG
  // whenever a DistributedDataParallel is destroyed, where a difference is logged.
  void check_replicas() const;

  // The table of buckets.
  std::string describe() const;
  DdpStats stats() const;

 protected:
  // Around a forward of the module.
  void begin_forward();
  void end_forward(const std::vector<torch::Tensor>& outputs);
  // check_replicas(), from a destructor: what it finds is logged. Does nothing while an exception is on its way.
  void check_replicas_at_end() const noexcept;

 private:
  friend class ParameterSlices;

  std::shared_ptr<BackwardSync> sync_;
};

}  // namespace lockstep
