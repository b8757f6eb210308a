#include "ddp/sparse_exchange.h"

#include <algorithm>
#include <array>

#include "ddp/tensor_buffer.h"

namespace lockstep {
namespace {

// A sparse gradient without rows, for a table shaped like `parameter`.
torch::Tensor nothing_like(const torch::Tensor& parameter) {
  std::vector<std::int64_t> shape(parameter.sizes().begin(), parameter.sizes().end());
  shape[0] = 0;
  return torch::sparse_coo_tensor(torch::empty({1, 0}, torch::kLong),
                                  torch::empty(shape, parameter.options().requires_grad(false)),
                                  parameter.sizes())
      .coalesce();
}

}  // namespace

SparseExchange::SparseExchange(const std::vector<NamedTensor>& parameters, Communicator& communicator)
    : communicator_(communicator) {
  for (const NamedTensor& parameter : parameters) {
    entries_.push_back({parameter});
  }
}

void SparseExchange::run(double weight, double divisor) {
  const torch::NoGradGuard no_grad;
  for (Entry& entry : entries_) {
    run(entry, weight, divisor);
    entry.used = false;
  }
}

void SparseExchange::run(Entry& entry, double weight, double divisor) {
  const torch::Tensor& parameter = entry.parameter.tensor;
  torch::Tensor mine = parameter.grad().defined() ? parameter.grad() : nothing_like(parameter);
  const bool dense = !mine.is_sparse();
  mine = dense ? mine : mine.coalesce();
  mine = weight == 1 ? mine : mine * weight;
  const auto offers = exchange_offers({.used = entry.used, .dense = dense, .count = dense ? 0 : mine._nnz()},
                                      entry.parameter.name);
  if (std::none_of(offers.begin(), offers.end(), [](const Offer& offer) { return offer.used; })) {
    return;
  }
  torch::Tensor sum;
  if (std::any_of(offers.begin(), offers.end(), [](const Offer& offer) { return offer.dense; })) {
    sum = (dense ? mine.clone() : mine.to_dense()).contiguous();
    communicator_.all_reduce(buffer_of(sum), ReduceOp::kSum, {.label = entry.parameter.name});
  } else {
    sum = sum_sparse(entry, mine, offers);
  }
  entry.parameter.tensor.mutable_grad() = sum.div_(divisor);
}

std::vector<SparseExchange::Offer> SparseExchange::exchange_offers(const Offer& mine,
                                                                   const std::string& name) {
  const std::array<std::int64_t, 3> numbers = {mine.used ? 1 : 0, mine.dense ? 1 : 0, mine.count};
  std::vector<std::int64_t> all(numbers.size() * static_cast<std::size_t>(communicator_.size()));
  communicator_.all_gather(numbers, all, {.label = name});
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < all.size(); i += numbers.size()) {
    offers.push_back({.used = all[i] != 0, .dense = all[i + 1] != 0, .count = all[i + 2]});
  }
  return offers;
}

// The rows of all ranks, one rank after the other. Each rank sends as many as the largest count.
torch::Tensor SparseExchange::gather_rows(const torch::Tensor& mine, const std::vector<Offer>& offers,
                                          const std::string& name) {
  const std::int64_t most =
      std::max_element(offers.begin(), offers.end(), [](const Offer& left, const Offer& right) {
        return left.count < right.count;
      })->count;
  std::vector<std::int64_t> shape(mine.sizes().begin(), mine.sizes().end());
  shape[0] = most;
  torch::Tensor padded = torch::zeros(shape, mine.options());
  padded.narrow(0, 0, mine.size(0)).copy_(mine);
  shape[0] = most * communicator_.size();
  torch::Tensor all = torch::empty(shape, mine.options());
  communicator_.all_gather(buffer_of(padded), buffer_of(all), {.label = name});
  std::vector<torch::Tensor> rows;
  for (std::size_t rank = 0; rank < offers.size(); ++rank) {
    rows.push_back(all.narrow(0, static_cast<std::int64_t>(rank) * most, offers[rank].count));
  }
  return torch::cat(rows);
}

torch::Tensor SparseExchange::sum_sparse(const Entry& entry, const torch::Tensor& mine,
                                         const std::vector<Offer>& offers) {
  const torch::Tensor indices = gather_rows(mine.indices().t().contiguous(), offers, entry.parameter.name);
  const torch::Tensor values = gather_rows(mine.values().contiguous(), offers, entry.parameter.name);
  return torch::sparse_coo_tensor(indices.t().contiguous(), values, mine.sizes()).coalesce();
}

}  // namespace lockstep
