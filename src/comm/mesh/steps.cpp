#include "comm/mesh/steps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "comm/slice.h"

namespace lockstep::mesh {
namespace {

using Counts = std::vector<std::size_t>;

// Of one of the two areas that chunks go through: a slice from every rank. Slices are whole cache lines, and which
// ranks get one more than the others depends on the length of the chunk.
std::size_t staging_area_bytes(const Undertaking& u) {
  constexpr std::size_t kCacheLine = 64;
  const auto ranks = static_cast<std::size_t>(u.ranks);
  const std::size_t lines = (std::min(u.bytes, u.chunk_bytes) + kCacheLine - 1) / kCacheLine;
  return (lines + ranks - 1) / ranks * ranks * kCacheLine;
}

class Composer {
 public:
  explicit Composer(const Undertaking& u) : u_(u), ranks_(static_cast<std::size_t>(u.ranks)) {}

  std::vector<Step> compose() {
    switch (u_.kind) {
      case OperationKind::kAllReduce:
      case OperationKind::kReduce:
        reduce_in_chunks();
        break;
      case OperationKind::kReduceScatter:
        exchange({Area::kInput, 0}, equal(part_bytes()), {Area::kStaging, 0}, equal(part_bytes()));
        reduce({Area::kStaging, 0}, part_bytes(),
               {Area::kStaging, static_cast<std::size_t>(u_.rank) * part_bytes()}, {Area::kOutput, 0});
        break;
      case OperationKind::kBroadcast:
        spread({Area::kInput, 0}, {Area::kOutput, 0}, u_.bytes, u_.root);
        break;
      case OperationKind::kAllGather:
        if (!u_.in_place) {
          copy({Area::kInput, 0}, {Area::kOutput, static_cast<std::size_t>(u_.rank) * u_.bytes}, u_.bytes);
        }
        for (int owner = 0; owner < u_.ranks; ++owner) {
          const Spot part{Area::kOutput, static_cast<std::size_t>(owner) * u_.bytes};
          spread(part, part, u_.bytes, owner);
        }
        break;
      case OperationKind::kGather:
        exchange({Area::kInput, 0}, only_for_root(u_.bytes), {Area::kOutput, 0},
                 only_at_root(equal(u_.bytes)));
        break;
      case OperationKind::kScatter:
        exchange({Area::kInput, 0}, only_at_root(equal(part_bytes())), {Area::kOutput, 0},
                 only_for_root(part_bytes()));
        break;
      case OperationKind::kAllToAll:
        if (u_.in_place) {
          copy({Area::kInput, 0}, {Area::kStaging, 0}, u_.bytes);
        }
        exchange({u_.in_place ? Area::kStaging : Area::kInput, 0}, equal(part_bytes()), {Area::kOutput, 0},
                 equal(part_bytes()));
        break;
      case OperationKind::kAllToAllV:
        exchange({Area::kInput, 0}, row(), {Area::kOutput, 0}, column());
        break;
      case OperationKind::kBarrier:
      case OperationKind::kSend:
      case OperationKind::kRecv:
        break;
    }
    return std::move(steps_);
  }

 private:
  std::size_t part_bytes() const { return u_.bytes / ranks_; }
  Counts equal(std::size_t bytes) const { return Counts(ranks_, bytes); }

  // What a rank sends to the root alone, or gets from it alone.
  Counts only_for_root(std::size_t bytes) const {
    Counts counts = equal(0);
    counts[static_cast<std::size_t>(u_.root)] = bytes;
    return counts;
  }

  Counts only_at_root(Counts counts) const { return u_.rank == u_.root ? std::move(counts) : equal(0); }

  Counts row() const {
    Counts counts;
    for (std::size_t to = 0; to < ranks_; ++to) {
      counts.push_back(u_.matrix[static_cast<std::size_t>(u_.rank) * ranks_ + to]);
    }
    return counts;
  }

  Counts column() const {
    Counts counts;
    for (std::size_t from = 0; from < ranks_; ++from) {
      counts.push_back(u_.matrix[from * ranks_ + static_cast<std::size_t>(u_.rank)]);
    }
    return counts;
  }

  // The slices of all inputs to their owners, the results to all or to the root, chunk after chunk. There are two
  // areas of staging memory, used in turn: while one chunk is combined in the one, the next arrives in the other.
  void reduce_in_chunks() {
    const std::size_t chunks = (u_.bytes + u_.chunk_bytes - 1) / u_.chunk_bytes;
    std::size_t arrived = collect(0, 0);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const std::size_t next_arrived = chunk + 1 < chunks ? collect(chunk + 1, freed_[(chunk + 1) % 2]) : 0;
      const Slice own = slice(chunk, u_.rank);
      const bool to_all = u_.kind == OperationKind::kAllReduce;
      const Spot combined = to_all ? Spot{Area::kOutput, own.offset} : staging(chunk);
      reduce(staging(chunk), own.bytes, {Area::kInput, own.offset}, combined, arrived);
      if (to_all) {
        spread_slices(chunk);
      } else {
        exchange(combined, only_for_root(own.bytes), {Area::kOutput, chunk * u_.chunk_bytes},
                 only_at_root(slices(chunk)));
        freed_[chunk % 2] = flights_;
      }
      arrived = next_arrived;
    }
  }

  // Returns how many flights have landed when this one has.
  std::size_t collect(std::size_t chunk, std::size_t needs) {
    exchange({Area::kInput, chunk * u_.chunk_bytes}, slices(chunk), staging(chunk),
             equal(slice(chunk, u_.rank).bytes));
    steps_.back().needs = needs;
    return flights_;
  }

  void spread_slices(std::size_t chunk) {
    for (int owner = 0; owner < u_.ranks; ++owner) {
      const Slice part = slice(chunk, owner);
      spread({Area::kOutput, part.offset}, {Area::kOutput, part.offset}, part.bytes, owner);
    }
  }

  Slice slice(std::size_t chunk, int owner) const {
    const std::size_t first = chunk * u_.chunk_bytes;
    const Slice part = slice_of(std::min(u_.chunk_bytes, u_.bytes - first), u_.ranks, owner);
    return {first + part.offset, part.bytes};
  }

  Counts slices(std::size_t chunk) const {
    Counts counts;
    for (int owner = 0; owner < u_.ranks; ++owner) {
      counts.push_back(slice(chunk, owner).bytes);
    }
    return counts;
  }

  Spot staging(std::size_t chunk) const { return {Area::kStaging, chunk % 2 * staging_area_bytes(u_)}; }

  void copy(Spot from, Spot to, std::size_t bytes) {
    steps_.push_back({.kind = Step::Kind::kCopy,
                      .from = from,
                      .to = to,
                      .own = {},
                      .bytes = bytes,
                      .sent = {},
                      .received = {}});
  }

  void reduce(Spot from, std::size_t bytes, Spot own, Spot to, std::optional<std::size_t> needs = {}) {
    if (bytes > 0) {
      steps_.push_back({.kind = Step::Kind::kReduce,
                        .needs = needs.value_or(flights_),
                        .from = from,
                        .to = to,
                        .own = own,
                        .bytes = bytes,
                        .sent = {},
                        .received = {}});
    }
  }

  void exchange(Spot from, Counts sent, Spot to, Counts received) {
    ++flights_;
    steps_.push_back({.kind = Step::Kind::kExchange,
                      .from = from,
                      .to = to,
                      .own = {},
                      .sent = std::move(sent),
                      .received = std::move(received)});
  }

  void spread(Spot from, Spot to, std::size_t bytes, int root) {
    if (bytes > 0) {
      ++flights_;
      steps_.push_back({.kind = Step::Kind::kSpread,
                        .from = from,
                        .to = to,
                        .own = {},
                        .bytes = bytes,
                        .root = root,
                        .sent = {},
                        .received = {}});
    }
  }

  const Undertaking& u_;
  std::size_t ranks_;
  std::vector<Step> steps_;
  std::size_t flights_ = 0;  // started so far
  std::array<std::size_t, 2> freed_ = {0,
                                       0};  // how many flights must have landed for a staging area to be free
};

}  // namespace

std::vector<Step> steps_of(const Undertaking& undertaking) {
  return Composer(undertaking).compose();
}

std::size_t staging_bytes(const Undertaking& u) {
  switch (u.kind) {
    case OperationKind::kAllReduce:
    case OperationKind::kReduce:
      return (u.bytes > u.chunk_bytes ? 2 : 1) * staging_area_bytes(u);
    case OperationKind::kReduceScatter:
      return u.bytes;
    case OperationKind::kAllToAll:
      return u.in_place ? u.bytes : 0;
    default:
      return 0;
  }
}

}  // namespace lockstep::mesh
