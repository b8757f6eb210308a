#include "config/near_miss.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace lockstep::config {
namespace {

constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

std::size_t allowed_edits(std::string_view wanted) {
  return wanted.size() <= 3 ? 1 : 2;
}

// The distance, or kFar if it is too large for a typing mistake. Never compares long texts in full.
std::size_t small_distance(std::string_view wanted, std::string_view name) {
  const std::size_t allowed = allowed_edits(wanted);
  if (wanted.empty() || wanted.size() > name.size() + allowed || name.size() > wanted.size() + allowed) {
    return kFar;
  }
  const std::size_t distance = edit_distance(wanted, name);
  return distance <= allowed && distance < wanted.size() ? distance : kFar;
}

template <class Distance>
std::optional<std::string> nearest(const std::vector<std::string>& names, Distance distance_to) {
  const std::string* best = nullptr;
  std::size_t best_distance = kFar;
  for (const std::string& name : names) {
    const std::size_t distance = distance_to(name);
    if (distance < best_distance) {
      best = &name;
      best_distance = distance;
    }
  }
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances from the first i letters of `a` to every prefix of `b`; a swap looks two rows
  // back.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  return nearest(names, [wanted](std::string_view name) { return small_distance(wanted, name); });
}

std::optional<std::string> nearest_dotted_name(std::string_view wanted,
                                               const std::vector<std::string>& names) {
  const bool may_be_last_part = wanted.find('.') == std::string_view::npos;
  return nearest(names, [&](std::string_view name) {
    // Doubled, to rank "equally good, but only the last part" in between.
    const std::size_t whole = small_distance(wanted, name);
    const std::size_t last =
        may_be_last_part ? small_distance(wanted, name.substr(name.rfind('.') + 1)) : kFar;
    return std::min(whole == kFar ? kFar : 2 * whole, last == kFar ? kFar : 2 * last + 1);
  });
}

std::string suggestion(const std::optional<std::string>& name) {
  return name ? "; did you mean '" + *name + "'?" : "";
}

}  // namespace lockstep::config
