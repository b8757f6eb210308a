#include "comm/schedule.h"

#include <algorithm>

#include "comm/slice.h"

namespace lockstep {
namespace {

constexpr std::size_t kCacheLine = 64;

std::size_t ceil_div(std::size_t value, std::size_t by) {
  return (value + by - 1) / by;
}

// Which of the staged shapes a collective has.
//   whole   a chunk of the buffer fills the staging area;
//   parts   the staging area is divided among the ranks: one block for each destination.
bool stages_parts(OperationKind kind) {
  return kind == OperationKind::kReduceScatter || kind == OperationKind::kScatter ||
         kind == OperationKind::kAllToAll || kind == OperationKind::kAllToAllV;
}

bool reduces_in_staging(OperationKind kind) {
  return kind == OperationKind::kAllReduce || kind == OperationKind::kReduce;
}

// Builds the action list of one rank in one round.
class Composer {
 public:
  Composer(const Plan& plan, int rank, std::vector<Action>& actions)
      : plan_(plan), rank_(rank), actions_(actions) {}

  void direct() {
    const std::size_t part = part_bytes();
    switch (plan_.kind) {
      case OperationKind::kAllReduce:
        reduce_to_all(Area::kInput, Area::kOutput, my_slice(plan_.bytes));
        break;
      case OperationKind::kReduce:
        reduce_slice_to(plan_.root, my_slice(plan_.bytes));
        break;
      case OperationKind::kReduceScatter:
        reduce({Area::kInput, rank_, offset_of_part(rank_)}, {Area::kOutput, rank_, 0}, part);
        break;
      case OperationKind::kBroadcast:
        if (rank_ != plan_.root) {
          copy({Area::kInput, plan_.root, 0}, mine(Area::kOutput), plan_.bytes);
        }
        break;
      case OperationKind::kAllGather:
        for_each_rank([&](int peer) {
          copy(mine(Area::kInput), {Area::kOutput, peer, offset_of_part(rank_)}, plan_.bytes);
        });
        break;
      case OperationKind::kGather:
        copy(mine(Area::kInput), {Area::kOutput, plan_.root, offset_of_part(rank_)}, plan_.bytes);
        break;
      case OperationKind::kScatter:
        copy({Area::kInput, plan_.root, offset_of_part(rank_)}, mine(Area::kOutput), part);
        break;
      case OperationKind::kAllToAll:
      case OperationKind::kAllToAllV:
        for_each_rank([&](int peer) {
          copy(mine(Area::kInput, sent_before(rank_, peer)),
               {Area::kOutput, peer, received_before(peer, rank_)}, sent_bytes(rank_, peer));
        });
        break;
      case OperationKind::kBarrier:
      case OperationKind::kSend:
      case OperationKind::kRecv:
        break;
    }
  }

  // The announcement of every rank holds its input: read what concerns this rank.
  void inlined() {
    const std::size_t part = part_bytes();
    switch (plan_.kind) {
      case OperationKind::kAllReduce:
        reduce({Area::kInline, 0, 0}, mine(Area::kOutput), plan_.bytes);
        break;
      case OperationKind::kReduce:
        if (rank_ == plan_.root) {
          reduce({Area::kInline, 0, 0}, mine(Area::kOutput), plan_.bytes);
        }
        break;
      case OperationKind::kReduceScatter:
        reduce({Area::kInline, 0, offset_of_part(rank_)}, mine(Area::kOutput), part);
        break;
      case OperationKind::kBroadcast:
        if (rank_ != plan_.root) {
          copy({Area::kInline, plan_.root, 0}, mine(Area::kOutput), plan_.bytes);
        }
        break;
      case OperationKind::kGather:
        if (rank_ != plan_.root) {
          break;
        }
        [[fallthrough]];
      case OperationKind::kAllGather:
        for_each_rank([&](int peer) {
          copy({Area::kInline, peer, 0}, mine(Area::kOutput, offset_of_part(peer)), plan_.bytes);
        });
        break;
      case OperationKind::kScatter:
        copy({Area::kInline, plan_.root, offset_of_part(rank_)}, mine(Area::kOutput), part);
        break;
      case OperationKind::kAllToAll:
        for_each_rank([&](int peer) {
          copy({Area::kInline, peer, offset_of_part(rank_)}, mine(Area::kOutput, offset_of_part(peer)), part);
        });
        break;
      case OperationKind::kAllToAllV:
      case OperationKind::kBarrier:
      case OperationKind::kSend:
      case OperationKind::kRecv:
        break;
    }
  }

  void staged(std::size_t round) {
    const std::size_t chunks = chunk_count(plan_);
    if (round < chunks) {
      copy_in(round);
    }
    if (reduces_in_staging(plan_.kind)) {
      if (round >= 1 && round - 1 < chunks) {
        combine_chunk(round - 1);
      }
      if (round >= 2) {
        copy_combined_out(round - 2);
      }
    } else if (round >= 1) {
      copy_out(round - 1);
    }
  }

  // Bytes that one staged chunk takes from a buffer, or from each part of it.
  static std::size_t chunk_bytes(const Plan& plan) {
    const std::size_t room = stages_parts(plan.kind)
                                 ? plan.staging_bytes / static_cast<std::size_t>(plan.ranks)
                                 : plan.staging_bytes;
    return room / kCacheLine * kCacheLine;  // the longest element divides a cache line
  }

  static std::size_t chunk_count(const Plan& plan) {
    std::size_t longest = plan.bytes;
    if (plan.kind == OperationKind::kAllToAllV) {
      longest = plan.matrix.empty() ? 0 : *std::max_element(plan.matrix.begin(), plan.matrix.end());
    } else if (stages_parts(plan.kind)) {
      longest = plan.bytes / static_cast<std::size_t>(plan.ranks);
    }
    return ceil_div(longest, chunk_bytes(plan));
  }

 private:
  // Starts with this rank and goes round, so that the ranks do not all turn to the same one at the same time.
  template <class Visit>
  void for_each_rank(Visit visit) {
    for (int step = 0; step < plan_.ranks; ++step) {
      visit((rank_ + step) % plan_.ranks);
    }
  }

  Place mine(Area area, std::size_t offset = 0) const { return {area, rank_, offset}; }

  // all_gather and gather count what one rank contributes; the others what it holds for all.
  std::size_t part_bytes() const {
    const bool holds_one = plan_.kind == OperationKind::kAllGather || plan_.kind == OperationKind::kGather;
    return holds_one ? plan_.bytes : plan_.bytes / static_cast<std::size_t>(plan_.ranks);
  }
  std::size_t offset_of_part(int part) const { return static_cast<std::size_t>(part) * part_bytes(); }

  std::size_t matrix_at(int from, int to) const {
    return plan_.matrix[static_cast<std::size_t>(from) * static_cast<std::size_t>(plan_.ranks) +
                        static_cast<std::size_t>(to)];
  }
  std::size_t sent_bytes(int from, int to) const {
    return plan_.kind == OperationKind::kAllToAllV ? matrix_at(from, to) : part_bytes();
  }
  // Where the part for `to` begins in what `from` sends, and where the part from `from` begins at `to`.
  std::size_t sent_before(int from, int to) const {
    std::size_t sum = 0;
    for (int other = 0; other < to; ++other) {
      sum += sent_bytes(from, other);
    }
    return sum;
  }
  std::size_t received_before(int to, int from) const {
    std::size_t sum = 0;
    for (int other = 0; other < from; ++other) {
      sum += sent_bytes(other, to);
    }
    return sum;
  }

  Slice my_slice(std::size_t bytes) const { return slice_of(bytes, plan_.ranks, rank_); }

  void copy(Place from, Place to, std::size_t bytes) {
    if (bytes > 0) {
      actions_.push_back({Action::Kind::kCopy, Action::Target::kOne, from, to, bytes});
    }
  }
  void reduce(Place from, Place to, std::size_t bytes, Action::Target target = Action::Target::kOne) {
    if (bytes > 0) {
      actions_.push_back({Action::Kind::kReduce, target, from, to, bytes});
    }
  }
  void reduce_to_all(Area from, Area to, Slice slice) {
    reduce({from, rank_, slice.offset}, {to, rank_, slice.offset}, slice.bytes, Action::Target::kAll);
  }
  void reduce_slice_to(int root, Slice slice) {
    reduce({Area::kInput, rank_, slice.offset}, {Area::kOutput, root, slice.offset}, slice.bytes);
  }

  std::size_t staging_offset(std::size_t chunk) const {
    return chunk % kStagingBuffers * plan_.staging_bytes;
  }
  // The part of a buffer of `bytes` that is chunk number `chunk`.
  Slice chunk_of(std::size_t bytes, std::size_t chunk) const {
    const std::size_t offset = std::min(bytes, chunk * chunk_bytes(plan_));
    return {offset, std::min(bytes - offset, chunk_bytes(plan_))};
  }
  std::size_t block_offset(std::size_t chunk, int block) const {
    return staging_offset(chunk) + static_cast<std::size_t>(block) * chunk_bytes(plan_);
  }

  void copy_in(std::size_t chunk) {
    const bool only_root = plan_.kind == OperationKind::kBroadcast || plan_.kind == OperationKind::kScatter;
    if (only_root && rank_ != plan_.root) {
      return;
    }
    if (!stages_parts(plan_.kind)) {
      const Slice piece = chunk_of(plan_.bytes, chunk);
      copy(mine(Area::kInput, piece.offset), mine(Area::kStaging, staging_offset(chunk)), piece.bytes);
      return;
    }
    for (int peer = 0; peer < plan_.ranks; ++peer) {
      const Slice piece = chunk_of(sent_bytes(rank_, peer), chunk);
      copy(mine(Area::kInput, sent_before(rank_, peer) + piece.offset),
           mine(Area::kStaging, block_offset(chunk, peer)), piece.bytes);
    }
  }

  // all_reduce and reduce: every rank combines its slice of the chunk, into the staging of those who want it.
  void combine_chunk(std::size_t chunk) {
    const Slice slice = my_slice(chunk_of(plan_.bytes, chunk).bytes);
    const std::size_t offset = staging_offset(chunk) + slice.offset;
    if (plan_.kind == OperationKind::kAllReduce) {
      reduce({Area::kStaging, rank_, offset}, {Area::kStaging, rank_, offset}, slice.bytes,
             Action::Target::kAll);
    } else {
      reduce({Area::kStaging, rank_, offset}, {Area::kStaging, plan_.root, offset}, slice.bytes);
    }
  }

  void copy_combined_out(std::size_t chunk) {
    if (plan_.kind == OperationKind::kReduce && rank_ != plan_.root) {
      return;
    }
    const Slice piece = chunk_of(plan_.bytes, chunk);
    copy(mine(Area::kStaging, staging_offset(chunk)), mine(Area::kOutput, piece.offset), piece.bytes);
  }

  void copy_out(std::size_t chunk) {
    const Slice piece = chunk_of(part_bytes(), chunk);
    const Place block = {Area::kStaging, 0, block_offset(chunk, rank_)};
    switch (plan_.kind) {
      case OperationKind::kReduceScatter:
        reduce(block, mine(Area::kOutput, piece.offset), piece.bytes);
        break;
      case OperationKind::kScatter:
        copy({Area::kStaging, plan_.root, block.offset}, mine(Area::kOutput, piece.offset), piece.bytes);
        break;
      case OperationKind::kAllToAll:
      case OperationKind::kAllToAllV:
        for_each_rank([&](int peer) {
          const Slice received = chunk_of(sent_bytes(peer, rank_), chunk);
          copy({Area::kStaging, peer, block.offset},
               mine(Area::kOutput, received_before(rank_, peer) + received.offset), received.bytes);
        });
        break;
      case OperationKind::kBroadcast:
        copy_whole_chunk_out(plan_.root, chunk, 0);
        break;
      case OperationKind::kGather:
      case OperationKind::kAllGather:
        for_each_rank([&](int peer) { copy_whole_chunk_out(peer, chunk, offset_of_part(peer)); });
        break;
      default:
        break;
    }
  }

  void copy_whole_chunk_out(int from, std::size_t chunk, std::size_t output_offset) {
    const bool receives = plan_.kind == OperationKind::kAllGather ||
                          (plan_.kind == OperationKind::kGather) == (rank_ == plan_.root);
    if (receives) {
      const Slice piece = chunk_of(plan_.bytes, chunk);
      copy({Area::kStaging, from, staging_offset(chunk)}, mine(Area::kOutput, output_offset + piece.offset),
           piece.bytes);
    }
  }

  const Plan& plan_;
  int rank_;
  std::vector<Action>& actions_;
};

}  // namespace

std::size_t Plan::rounds() const {
  if (kind == OperationKind::kBarrier || path != Path::kStaged) {
    return 1;
  }
  const std::size_t chunks = Composer::chunk_count(*this);
  const std::size_t stages = reduces_in_staging(kind) ? 3 : 2;
  return chunks == 0 ? 0 : chunks + stages - 1;
}

void append_actions(const Plan& plan, int rank, std::size_t round, std::vector<Action>& actions) {
  Composer composer(plan, rank, actions);
  switch (plan.path) {
    case Path::kInline:
      composer.inlined();
      break;
    case Path::kDirect:
      composer.direct();
      break;
    case Path::kStaged:
      composer.staged(round);
      break;
  }
}

std::size_t inline_bytes(const Plan& plan, int rank) {
  const bool only_root = plan.kind == OperationKind::kBroadcast || plan.kind == OperationKind::kScatter;
  return only_root && rank != plan.root ? 0 : plan.bytes;
}

}  // namespace lockstep
