#include "train/file_dealing.h"

#include <algorithm>
#include <numeric>

#include "checkpoint/file_parts.h"

namespace lockstep::train {
namespace {

// Opening and syncing a file costs about as much as writing this many bytes.
constexpr std::uint64_t kLeastPart = std::uint64_t{4} << 20;

std::uint64_t total(const SizedFile& file) {
  return std::accumulate(file.bytes.begin(), file.bytes.end(), std::uint64_t{0});
}

// The indices of `count` things, largest first.
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
    for (const Step step : {Step::kPinned, Step::kWhole, Step::kDivided}) {
      for (const std::size_t i : order) {
        if (step_of(files_[i]) == step) {
          step == Step::kDivided ? deal_parts(i) : deal_whole(i);
        }
      }
    }
    return std::move(dealt_);
  }

 private:
  using Shares = std::vector<std::vector<std::size_t>>;  // tensors, by writer

  // Files that can fill gaps come last.
  enum class Step { kPinned, kWhole, kDivided };

  Step step_of(const SizedFile& file) const {
    if (file.writer) {
      return Step::kPinned;
    }
    return most_parts(file) > 1 ? Step::kDivided : Step::kWhole;
  }

  std::size_t most_parts(const SizedFile& file) const {
    const std::uint64_t most = std::max<std::uint64_t>(1, total(file) / kLeastPart);
    return file.is_divisible ? std::min<std::size_t>(loads_.size(), most) : 1;
  }

  void deal_whole(std::size_t source) {
    const SizedFile& file = files_[source];
    const auto least = std::min_element(loads_.begin(), loads_.end()) - loads_.begin();
    DealtFile whole{.source = source,
                    .name = file.name,
                    .writer = file.writer.value_or(static_cast<std::size_t>(least)),
                    .tensors = {}};
    whole.tensors.resize(file.bytes.size());
    std::iota(whole.tensors.begin(), whole.tensors.end(), std::size_t{0});
    loads_[whole.writer] += total(file);
    dealt_.push_back(std::move(whole));
  }

  void deal_parts(std::size_t source) {
    const SizedFile& file = files_[source];
    Shares shares;
    for (std::size_t parts = most_parts(file); parts > 0; --parts) {
      shares = share_out(file, parts);
      if (parts == 1 || are_worth_files(file, shares)) {
        break;
      }
    }
    add_parts(source, std::move(shares));
  }

  // Over at most `parts` writers, the least loaded ones.
  Shares share_out(const SizedFile& file, std::size_t parts) const {
    const std::uint64_t most = *std::max_element(loads_.begin(), loads_.end());
    std::vector<std::size_t> writers =
        by_size(loads_.size(), [&](std::size_t i) { return most - loads_[i]; });
    writers.resize(parts);
    std::sort(writers.begin(), writers.end());
    std::vector<std::uint64_t> loads = loads_;
    Shares shares(loads.size());
    for (const std::size_t tensor :
         by_size(file.bytes.size(), [&](std::size_t i) { return file.bytes[i]; })) {
      const std::size_t writer = *std::min_element(
          writers.begin(), writers.end(), [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
      shares[writer].push_back(tensor);
      loads[writer] += file.bytes[tensor];
    }
    return shares;
  }

  static std::uint64_t bytes_of(const SizedFile& file, const std::vector<std::size_t>& share) {
    return std::accumulate(share.begin(), share.end(), std::uint64_t{0},
                           [&](std::uint64_t sum, std::size_t tensor) { return sum + file.bytes[tensor]; });
  }

  static bool are_worth_files(const SizedFile& file, const Shares& shares) {
    return std::all_of(shares.begin(), shares.end(), [&](const std::vector<std::size_t>& share) {
      return share.empty() || bytes_of(file, share) >= kLeastPart;
    });
  }

  void add_parts(std::size_t source, Shares shares) {
    const SizedFile& file = files_[source];
    const auto count = static_cast<int>(std::count_if(
        shares.begin(), shares.end(), [](const std::vector<std::size_t>& share) { return !share.empty(); }));
    int number = 0;
    for (std::size_t writer = 0; writer < shares.size(); ++writer) {
      if (!shares[writer].empty()) {
        std::sort(shares[writer].begin(), shares[writer].end());
        loads_[writer] += bytes_of(file, shares[writer]);
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
