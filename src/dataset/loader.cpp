#include "lockstep/loader.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <deque>
#include <utility>

#include "data/prefetch.h"
#include "dataset/sample_error.h"
#include "dataset/serial_ops.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr int kMostThreads = 256;
constexpr int kMostPrefetch = 4096;

void require_possible(const Dataset* data, const Sampler& sampler, const LoaderOptions& options) {
  const auto misuse = [](const std::string& text) { return Error(ErrorCode::kInvalidArgument, text); };
  if (data == nullptr) {
    throw misuse("a loader needs a data set");
  }
  if (data->size() != sampler.size()) {
    throw misuse(c10::str("the sampler is that of a data set of ", sampler.size(), " samples, this one has ",
                          data->size()));
  }
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw misuse(c10::str("a loader cannot have ", options.threads, " threads, only 0 to ", kMostThreads));
  }
  if (options.prefetch < 1 || options.prefetch > kMostPrefetch) {
    throw misuse(
        c10::str("a loader cannot be ", options.prefetch, " batches ahead, only 1 to ", kMostPrefetch));
  }
}

// A user's get_batch() is not trusted: a wrong length would train with wrong targets.
void require_length(const Tensors& tensors, std::size_t samples) {
  for (const torch::Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.dim() == 0 || tensor.size(0) != static_cast<std::int64_t>(samples)) {
      const std::string found = tensor.defined() ? c10::str("a tensor of ", tensor.sizes()) : "no tensor";
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("get_batch() gave ", found, " for ", samples, " samples"));
    }
  }
}

void load(const Dataset& data, std::uint64_t seed, Batch& batch) {
  const SampleBatch& samples = batch.samples;
  if (samples.indices.empty()) {
    return;
  }
  // Modes active where next() is called must not affect the data when it is loaded there.
  const c10::InferenceMode no_inference(false);
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const torch::NoGradGuard no_grad;
  const SerialOps serial;
  try {
    batch.tensors = data.get_batch(samples.indices, {.seed = seed, .epoch = samples.begin.epoch});
    require_length(batch.tensors, samples.indices.size());
  } catch (const Error&) {
    throw;
  } catch (...) {
    throw batch_error(samples.indices, std::current_exception());
  }
}

const torch::Tensor& tensor_of(const Batch& batch, std::size_t number, const char* name) {
  if (number < batch.tensors.size()) {
    return batch.tensors[number];
  }
  throw Error(ErrorCode::kInvalidArgument,
              batch.size() == 0 ? c10::str("the batch has no ", name, ": the share of this rank is empty")
                                : c10::str("the batch has no ", name, ": its samples have ",
                                           batch.tensors.size(), " tensors"));
}

}  // namespace

void LoaderOptions::describe(config::Description& d) {
  d.option("threads", threads, "threads that load batches ahead; 0: load in the training thread")
      .range(0, kMostThreads);
  d.option("prefetch", prefetch, "how many batches to load ahead").unit("batches").range(1, kMostPrefetch);
}

const torch::Tensor& Batch::input() const {
  return tensor_of(*this, 0, "input");
}

const torch::Tensor& Batch::target() const {
  return tensor_of(*this, 1, "target");
}

struct Loader::State {
  State(std::shared_ptr<const Dataset> the_data, Sampler& the_sampler, const LoaderOptions& options,
        std::optional<std::uint64_t> batches)
      : data(std::move(the_data)),
        sampler(the_sampler),
        limit(batches),
        prefetch([this] { return draw(); },
                 {.threads = options.threads, .depth = static_cast<std::size_t>(options.prefetch)}) {}

  Prefetch::Task draw() {
    if (drawn == limit) {
      return {};
    }
    Batch& batch = ahead.emplace_back(Batch{.samples = sampler.draw()});
    ++drawn;
    return [this, &batch, seed = sampler.options().seed] { load(*data, seed, batch); };
  }

  std::shared_ptr<const Dataset> data;
  Sampler& sampler;
  std::optional<std::uint64_t> limit;
  std::uint64_t drawn = 0;
  std::deque<Batch> ahead;  // a deque: a batch stays in place while it is loaded
  Prefetch prefetch;        // last: its threads use the members above
};

Loader::Loader(std::shared_ptr<const Dataset> data, Sampler& sampler, LoaderOptions options,
               std::optional<std::uint64_t> batches) {
  require_possible(data.get(), sampler, options);
  state_ = std::make_unique<State>(std::move(data), sampler, options, batches);
}

Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;

Batch Loader::next() {
  if (!state_->prefetch.next()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("all ", state_->drawn, " batches of the loader were handed out"));
  }
  Batch batch = std::move(state_->ahead.front());
  state_->ahead.pop_front();
  return batch;
}

std::chrono::nanoseconds Loader::waited() const {
  return state_->prefetch.waited();
}

}  // namespace lockstep
