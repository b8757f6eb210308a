#include "train/file_dealing.h"

#include <algorithm>
#include <numeric>

#include "checkpoint/file_parts.h"

namespace lockstep::train {
namespace {

// Of what is divided; opening and syncing a file costs about as much as writing this.
constexpr std::uint64_t kLeastPart = std::uint64_t{4} << 20;

std::uint64_t total(const SizedFile& file) {
  return std::accumulate(file.bytes.begin(), file.bytes.end(), std::uint64_t{0});
}

// The numbers of `count` things, the largest first.
template <class Size>
std::vector<std::size_t> by_size(std::size_t count, const Size& size) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return order;
}

class Dealer {
 public:
  Dealer(const std::vector<SizedFile>& files, std::size_t writers) : files_(files), loads_(writers) {}

  std::vector<DealtFile> deal() {
    const auto order = by_size(files_.size(), [this](std::size_t i) { return total(files_[i]); });
    for (const bool divided : {false, true}) {  // what can fill gaps comes last
      for (const std::size_t i : order) {
        if ((part_count(files_[i]) > 1) == divided) {
          divided ? deal_parts(i) : deal_whole(i);
        }
      }
    }
    return std::move(dealt_);
  }

 private:
  std::size_t part_count(const SizedFile& file) const {
    const std::uint64_t most = std::max<std::uint64_t>(1, total(file) / kLeastPart);
    return file.is_divisible ? std::min<std::size_t>(loads_.size(), most) : 1;
  }

  std::size_t least_loaded() const {
    return static_cast<std::size_t>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin());
  }

  void deal_whole(std::size_t source) {
    DealtFile whole{.source = source, .name = files_[source].name, .writer = least_loaded(), .tensors = {}};
    whole.tensors.resize(files_[source].bytes.size());
    std::iota(whole.tensors.begin(), whole.tensors.end(), std::size_t{0});
    loads_[whole.writer] += total(files_[source]);
    dealt_.push_back(std::move(whole));
  }

  void deal_parts(std::size_t source) {
    const SizedFile& file = files_[source];
    std::vector<std::vector<std::size_t>> shares(loads_.size());
    for (const std::size_t tensor :
         by_size(file.bytes.size(), [&](std::size_t i) { return file.bytes[i]; })) {
      const std::size_t writer = least_loaded();
      shares[writer].push_back(tensor);
      loads_[writer] += file.bytes[tensor];
    }
    const auto count = static_cast<int>(std::count_if(
        shares.begin(), shares.end(), [](const std::vector<std::size_t>& share) { return !share.empty(); }));
    int number = 0;
    for (std::size_t writer = 0; writer < shares.size(); ++writer) {
      if (!shares[writer].empty()) {
        std::sort(shares[writer].begin(), shares[writer].end());
        dealt_.push_back({.source = source,
                          .name = checkpoint::part_name(file.name, ++number, count),
                          .writer = writer,
                          .tensors = std::move(shares[writer])});
      }
    }
  }

  const std::vector<SizedFile>& files_;
  std::vector<std::uint64_t> loads_;  // bytes, by writer
  std::vector<DealtFile> dealt_;
};

}  // namespace

std::vector<DealtFile> deal(const std::vector<SizedFile>& files, std::size_t writers) {
  return Dealer(files, writers).deal();
}

}  // namespace lockstep::train
