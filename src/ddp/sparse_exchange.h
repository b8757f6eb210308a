#pragma once

// Averages sparse gradients: every rank gets the indices and values of all ranks and adds them up in rank order. Only
// existing rows are sent, unless some rank's gradient is dense: then the whole table is all-reduced.

#include <torch/types.h>

#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/communicator.h"

namespace lockstep {

class SparseExchange {
 public:
  SparseExchange(const std::vector<NamedTensor>& parameters, Communicator& communicator);

  std::size_t size() const { return entries_.size(); }
  // Autograd has written .grad of parameter `index`.
  void mark_used(std::size_t index) { entries_[index].used = true; }
  // Collective. A parameter that no rank used since the last call keeps its .grad. This rank's gradients are multiplied
  // by `weight`, and the sum is divided by `divisor`.
  void run(double weight, double divisor);

 private:
  struct Entry {
    NamedTensor parameter;
    bool used = false;
  };
  // One rank's gradient of one parameter.
  struct Offer {
    bool used = false;
    bool dense = false;
    std::int64_t count = 0;  // of indices
  };

  void run(Entry& entry, double weight, double divisor);
  std::vector<Offer> exchange_offers(const Offer& mine, const std::string& name);
  torch::Tensor gather_rows(const torch::Tensor& mine, const std::vector<Offer>& offers,
                            const std::string& name);
  torch::Tensor sum_sparse(const Entry& entry, const torch::Tensor& mine, const std::vector<Offer>& offers);

  Communicator& communicator_;
  std::vector<Entry> entries_;
};

}  // namespace lockstep
