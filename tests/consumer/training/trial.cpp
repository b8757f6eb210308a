#include "trial.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace consumer {
namespace {

double limit_of(torch::ScalarType type) {
  switch (type) {
    case torch::kDouble:
    case torch::kComplexDouble:
      return 1e-10;
    case torch::kBFloat16:
      return 0.0625;
    default:
      return 1e-5;
  }
}

// Below this a number is what rounding left of a sum that is zero.
constexpr double kNothing = 1e-6;

double relative_difference(const torch::Tensor& actual, const torch::Tensor& expected) {
  if (expected.numel() == 0) {
    return 0;
  }
  const auto wide = expected.is_complex() ? torch::kComplexDouble : torch::kDouble;
  const torch::Tensor wanted = expected.detach().to(wide);
  const double difference = (actual.detach().to(wide) - wanted).abs().max().item<double>();
  const double scale = std::max(wanted.abs().max().item<double>(), kNothing);
  // Not a number must not pass for a small difference.
  return difference <= std::numeric_limits<double>::max() ? difference / scale
                                                          : std::numeric_limits<double>::infinity();
}

// FNV-1a over the bytes, row by row.
std::int64_t hash_of(const torch::Tensor& tensor) {
  const torch::Tensor packed = tensor.detach().contiguous();
  std::uint64_t hash = 0xcbf29ce484222325U;
  const std::string_view bytes(static_cast<const char*>(packed.data_ptr()), packed.nbytes());
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  return static_cast<std::int64_t>(hash);
}

torch::OrderedDict<std::string, torch::Tensor> state_tensors(const torch::nn::Module& module) {
  auto tensors = module.named_parameters();
  tensors.update(module.named_buffers());
  return tensors;
}

}  // namespace

torch::Tensor Trial::mine(const torch::Tensor& whole) const {
  const std::int64_t count = whole.size(0) / ranks();
  require(count * ranks() == whole.size(0), "a batch that the ranks cannot share equally");
  return whole.narrow(0, rank() * count, count);
}

torch::Tensor Trial::mine(const torch::Tensor& whole, const std::vector<std::int64_t>& counts) const {
  const auto first = std::accumulate(counts.begin(), counts.begin() + rank(), std::int64_t{0});
  return whole.narrow(0, first, counts.at(static_cast<std::size_t>(rank())));
}

void Trial::require(bool holds, const std::string& otherwise) const {
  if (!holds) {
    throw std::runtime_error(otherwise);
  }
}

void Trial::require_near(const std::string& what, const torch::Tensor& actual, const torch::Tensor& expected,
                         double limit) {
  require(actual.sizes() == expected.sizes(), what + " has another shape than in one process");
  const double difference = relative_difference(actual, expected);
  const double most = limit > 0 ? limit : limit_of(expected.scalar_type());
  std::ostringstream text;
  text << what << " differs from one process with the whole batch by " << difference
       << " of its largest number, and at most " << most << " is rounding";
  require(difference <= most, text.str());
  if (expected.scalar_type() != torch::kBFloat16) {
    largest_ = std::max(largest_, difference);
  }
}

void Trial::require_twins(const torch::nn::Module& trained, const torch::nn::Module& alone, double limit) {
  const auto expected = state_tensors(alone);
  for (const auto& item : state_tensors(trained)) {
    require_near("'" + item.key() + "'", item.value(), expected[item.key()], limit);
  }
}

void Trial::require_equal_gradients(lockstep::Replica& trained, const torch::nn::Module& alone) {
  trained.gradients();
  const auto expected = alone.named_parameters();
  for (const auto& item : trained.named_parameters()) {
    const torch::Tensor actual = item.value().grad();
    const torch::Tensor wanted = expected[item.key()].grad();
    require(
        actual.defined() == wanted.defined(),
        "'" + item.key() + "' has " + (actual.defined() ? "a" : "no") + " gradient, unlike in one process");
    if (wanted.defined()) {
      require_near("the gradient of '" + item.key() + "'", actual, wanted);
    }
  }
}

void Trial::require_equal_bits(const torch::nn::Module& module) {
  const auto tensors = state_tensors(module);
  std::vector<std::int64_t> hashes;
  for (const auto& item : tensors) {
    hashes.push_back(hash_of(item.value()));
  }
  std::vector<std::int64_t> all(hashes.size() * static_cast<std::size_t>(ranks()));
  world_.communicator().all_gather(hashes, all, {.label = "equal bits"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    require(all[i] == all[i % hashes.size()], "'" + tensors.keys()[i % hashes.size()] +
                                                  "' has other bits on rank " +
                                                  std::to_string(i / hashes.size()) + " than on rank 0");
  }
}

void copy_state(const torch::nn::Module& from, const torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto source = state_tensors(from);
  for (const auto& item : state_tensors(to)) {
    item.value().detach().copy_(source[item.key()].detach());
  }
}

torch::Tensor random(std::uint64_t seed, torch::IntArrayRef sizes) {
  return torch::randn(sizes, torch::make_generator<at::CPUGeneratorImpl>(seed), torch::kDouble);
}

torch::Tensor random_between(std::uint64_t seed, std::int64_t low, std::int64_t high,
                             torch::IntArrayRef sizes) {
  return torch::randint(low, high, sizes, torch::make_generator<at::CPUGeneratorImpl>(seed), torch::kLong);
}

}  // namespace consumer
