#include <c10/util/StringUtil.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "data/permutation.h"
#include "dataset/sample_error.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// Used as the epoch: no sampler gets this far, so a split never equals one of its orders.
constexpr std::uint64_t kSplit = std::numeric_limits<std::uint64_t>::max();

// Some of the samples of another data set, in its order or in their own. Loaded one by one, since a sample's random
// stream depends on its index here.
class Subset final : public Dataset {
 public:
  Subset(std::shared_ptr<const Dataset> data, std::uint64_t begin, std::uint64_t end,
         std::optional<Permutation> order = {})
      : data_(std::move(data)), begin_(begin), end_(end), order_(order) {}

  std::uint64_t size() const override { return end_ - begin_; }

  Tensors get(std::uint64_t index, SampleRandom& random) const override {
    require_sample(index, size());
    const std::uint64_t place = begin_ + index;
    return data_->get(order_ ? order_->at(place) : place, random);
  }

 private:
  std::shared_ptr<const Dataset> data_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::optional<Permutation> order_;
};

}  // namespace

std::shared_ptr<const Dataset> subset(std::shared_ptr<const Dataset> data, std::uint64_t begin,
                                      std::uint64_t end) {
  if (begin > end || end > data->size()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("a data set of ", data->size(), " samples has no part from ", begin, " to ", end));
  }
  return std::make_shared<Subset>(std::move(data), begin, end);
}

DatasetSplit split(const std::shared_ptr<const Dataset>& data, double fraction, std::uint64_t seed) {
  if (!(fraction >= 0 && fraction <= 1)) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("a data set cannot be split at ", fraction, " of it, only at 0 to 1"));
  }
  const std::uint64_t size = data->size();
  const auto border = static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(size)));
  const Permutation order(size, seed, kSplit);
  return {.first = std::make_shared<Subset>(data, 0, border, order),
          .second = std::make_shared<Subset>(data, border, size, order)};
}

}  // namespace lockstep
