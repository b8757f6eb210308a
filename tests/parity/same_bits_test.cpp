// The bits of a training run depend on its data and on nothing else: not on how gradients are put into buckets, who
// moves them, or which rank is late; nor, with a sharded optimizer, on whose memory the parameters are in.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lockstep/distributed_data_parallel.h"
#include "parity/comparison.h"
#include "parity/models.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kRanks = 3;
constexpr int kStepsCompared = 20;

// Makes this rank late by up to 2 ms, differently on every rank.
class Lateness {
 public:
  explicit Lateness(int rank) : random_(static_cast<unsigned>(rank)) {}

  void wait() { std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000)); }

 private:
  std::mt19937 random_;
};

// The usual reduction, with every bucket held up before it.
class LateHook final : public CommHook {
 public:
  explicit LateHook(int rank) : lateness_(rank) {}

  std::string_view name() const override { return "late"; }
  std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
    lateness_.wait();
    return inner_->start(bucket, communicator);
  }

 private:
  Lateness lateness_;
  std::shared_ptr<CommHook> inner_ = all_reduce_hook();
};

struct Variant {
  std::string_view optimizer = "adamw";
  optim::Parameters parameters = optim::Parameters::kReplicated;
  std::size_t bucket_cap = 4 << 10;
  Progress progress = Progress::kInline;
  bool late_steps = false;
  bool late_buckets = false;
  bool late_gradients = false;
};

// Of a run that is otherwise like `base`; the first one is just like it.
std::vector<Variant> variants_of(const Variant& base) {
  std::vector<Variant> all;
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    Variant variant = base;
    variant.progress = progress;
    for (const std::size_t cap : {std::size_t{4} << 10, std::size_t{256}, std::size_t{1} << 20}) {
      all.push_back(variant);
      all.back().bucket_cap = cap;
    }
    for (bool Variant::*late : {&Variant::late_steps, &Variant::late_buckets, &Variant::late_gradients}) {
      all.push_back(variant);
      all.back().*late = true;
    }
  }
  return all;
}

std::string text_of(const Variant& variant) {
  return c10::str(variant.optimizer,
                  variant.parameters == optim::Parameters::kShared ? " with shared parameters" : "",
                  ", buckets of ", variant.bucket_cap, " bytes, ",
                  variant.progress == Progress::kInline ? "inline" : "threaded", " progress",
                  variant.late_steps ? ", late steps" : "", variant.late_buckets ? ", late buckets" : "",
                  variant.late_gradients ? ", late gradients" : "");
}

struct Outcome {
  torch::OrderedDict<std::string, torch::Tensor> parameters;
  std::size_t buckets = 0;
};

// Some gradients of this rank, others than on its neighbour, come late: with them their buckets, which a hook on buckets
// would hold up too, but at the price of another way through the reduction.
void delay_gradients(const Model& model, int rank, Lateness& lateness) {
  int index = 0;
  for (const torch::Tensor& parameter : model.parameters()) {
    if (index++ % 4 == rank) {
      parameter.register_hook([&lateness](const torch::Tensor&) { lateness.wait(); });
    }
  }
}

Outcome train(World& world, std::string_view model_name, const Variant& variant) {
  torch::manual_seed(3);
  const auto model = make_model(model_name);
  DdpOptions options{.bucket_caps = {variant.bucket_cap}, .progress = variant.progress};
  if (variant.late_buckets) {
    options.comm_hook = std::make_shared<LateHook>(world.rank());
  }
  Lateness lateness(world.rank());
  if (variant.late_gradients) {
    delay_gradients(*model, world.rank(), lateness);
  }
  DistributedDataParallel replica(model, world, std::move(options));
  const auto optimizer = make_optimizer(variant.optimizer, replica, variant.parameters);
  torch::manual_seed(static_cast<std::uint64_t>(100 + world.rank()));
  for (int step = 0; step < kStepsCompared; ++step) {
    if (variant.late_steps) {
      lateness.wait();
    }
    const Batch batch = model->make_batch(4);
    optimizer->zero_grad();
    model->loss(replica(batch.inputs, true), batch.targets).backward();
    if (variant.late_steps) {
      lateness.wait();
    }
    optimizer->step();
  }
  return {replica.named_parameters(), replica.stats().last.buckets};
}

// The bytes of all parameters.
std::string bytes_of(const Outcome& outcome) {
  std::string bytes;
  for (const auto& parameter : outcome.parameters) {
    bytes.append(static_cast<const char*>(parameter.value().data_ptr()), parameter.value().nbytes());
  }
  return bytes;
}

void check_variant(World& world, std::string_view model, const Variant& variant, const Outcome& reference) {
  SCOPED_TRACE(c10::str(model, ": ", text_of(variant)));
  const Outcome outcome = train(world, model, variant);
  Comparison comparison(0);
  for (const auto& parameter : outcome.parameters) {
    comparison.compare(parameter.key(), parameter.value().detach(),
                       reference.parameters[parameter.key()].detach());
  }
  EXPECT_EQ(comparison.first_failure(), "");
  EXPECT_EQ(comparison.count(), reference.parameters.size());
}

// Trains all variants of these, which have to end with the same bits on all ranks.
void expect_same_bits(const std::vector<Variant>& bases) {
  const auto check_models = [&bases](RankContext& rank) {
    World world = join_world(rank);
    std::string bytes;
    for (const std::string_view model : kModels) {
      const Outcome reference = train(world, model, bases.front());
      for (const Variant& base : bases) {
        for (const Variant& variant : variants_of(base)) {
          check_variant(world, model, variant, reference);
        }
      }
      bytes += bytes_of(reference);
    }
    return bytes;
  };
  const auto results =
      run_ranks(kRanks, RankMode::kProcesses, check_models, {.timeout = std::chrono::seconds(120)});
  results.expect_all_ok();
  ASSERT_FALSE(results[0].value.empty());
  for (const RankResult& result : results) {
    EXPECT_TRUE(result.value == results[0].value) << "rank " << result.rank << " is not where rank 0 is";
  }
}

TEST(Bits, OfATrainingRunDependOnItsDataOnly) {
  expect_same_bits({{.optimizer = "adamw"}});
}

TEST(Bits, OfAShardedOptimizerDependOnItsDataOnly) {
  expect_same_bits(
      {{.optimizer = "fused_adamw"}, {.optimizer = "fused_adamw", .parameters = optim::Parameters::kShared}});
}

// Otherwise the test above would compare a run with itself.
TEST(Bits, AreComparedOverRunsWithOtherBuckets) {
  run_ranks(kRanks, RankMode::kProcesses, [](RankContext& rank) {
    World world = join_world(rank);
    const std::size_t small = train(world, "gpt", {.bucket_cap = 256}).buckets;
    const std::size_t medium = train(world, "gpt", {.bucket_cap = 4 << 10}).buckets;
    const std::size_t large = train(world, "gpt", {.bucket_cap = 1 << 20}).buckets;
    EXPECT_GT(small, medium);
    EXPECT_GT(medium, large);
    EXPECT_EQ(large, 1U);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
