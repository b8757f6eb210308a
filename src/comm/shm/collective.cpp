#include "comm/shm/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/clock.h"
#include "comm/call_code.h"
#include "comm/kernels/reduce_kernel.h"
#include "comm/kernels/stream_copy.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// The count of a barrier is something that ranks compare, not data.
std::size_t data_bytes(const Operation& operation) {
  return operation.kind == OperationKind::kBarrier ? 0 : operation.count * size_of(operation.dtype);
}

bool goes_inline(OperationKind kind, std::size_t bytes) {
  return kind != OperationKind::kAllToAllV && bytes <= kInlineBytes;
}

}  // namespace

void Collective::begin(Group& group, const Task& task, const Request& request) {
  group_ = &group;
  operation_ = &task.operation();
  label_ = &task.label();
  in_ = request.in;
  out_ = request.out;
  own_ = OwnInput(request);
  counts_.assign(request.in_counts.begin(), request.in_counts.end());
  counts_.insert(counts_.end(), request.out_counts.begin(), request.out_counts.end());
  state_ = State::kGathering;
  arrived_.assign(static_cast<std::size_t>(group.size()), false);
  round_ = 0;
}

void Collective::announce() {
  Announcement& mine = announcement(group_->rank());
  const std::size_t bytes = data_bytes(*operation_);
  mine.call.store(pack_call(*operation_), std::memory_order_relaxed);
  mine.count.store(operation_->count, std::memory_order_relaxed);
  mine.input.store(group_->regions().position_of(in_.data(), in_.bytes()), std::memory_order_relaxed);
  mine.output.store(group_->regions().position_of(out_.data(), out_.bytes()), std::memory_order_relaxed);
  mine.time_ns.store(static_cast<std::uint64_t>(Clock::real().now().time_since_epoch().count()),
                     std::memory_order_relaxed);
  mine.label.store(label_->bytes().data());
  if (operation_->kind == OperationKind::kAllToAllV) {
    std::memcpy(mine.data.data(), counts_.data(), counts_.size() * sizeof counts_[0]);
  } else if (goes_inline(operation_->kind, bytes) && in_.bytes() > 0) {
    own_.collect();
    std::memcpy(mine.data.data(), in_.data(), std::min(bytes, in_.bytes()));
  }
  group_->own().flags.announced.store(operation_->sequence + 1, std::memory_order_release);
  mine.number.store(operation_->sequence + 1,
                    std::memory_order_seq_cst);  // pairs with gather_announcements()
  group_->ring_sleepers();
}

bool Collective::advance(std::uint64_t& next_round) {
  bool moved = false;
  if (state_ == State::kGathering && gather_announcements()) {
    make_plan();
    first_round_ = next_round;
    if (plan_.path != Path::kInline) {
      next_round += plan_.rounds();
    }
    state_ = State::kRounds;
    moved = true;
  }
  while (state_ == State::kRounds && run_round()) {
    moved = true;
  }
  if (state_ == State::kClosing && all_finished(first_round_ + plan_.rounds())) {
    state_ = State::kDone;
    moved = true;
  }
  return moved;
}

// Looks at every rank that has not been seen yet, so that a mismatch between two is found before the last comes.
bool Collective::gather_announcements() {
  bool all = true;
  for (int peer = 0; peer < group_->size(); ++peer) {
    auto&& arrived = arrived_[static_cast<std::size_t>(peer)];
    if (!arrived) {
      // Pairs with announce(): whoever sees the number sees the rest.
      if (announcement(peer).number.load(std::memory_order_seq_cst) == operation_->sequence + 1) {
        compare_with(peer);
        arrived = true;
      } else {
        all = false;
      }
    }
  }
  return all;
}

void Collective::compare_with(int peer) const {
  const Announcement& theirs = announcement(peer);
  const std::uint64_t call = theirs.call.load(std::memory_order_relaxed);
  const std::uint64_t count = theirs.count.load(std::memory_order_relaxed);
  Label label;
  theirs.label.load(label.bytes().data());
  const bool counts_differ = operation_->kind != OperationKind::kAllToAllV && count != operation_->count;
  if (call != pack_call(*operation_) || counts_differ || label.bytes() != label_->bytes()) {
    throw_mismatch(peer, operation_->describe(),
                   unpack_call(call, count, operation_->sequence, label).describe());
  }
}

// The lower rank comes first, so that all ranks that find this difference say the same.
void Collective::throw_mismatch(int peer, const std::string& mine, const std::string& theirs) const {
  const int rank = group_->rank();
  const bool first = rank < peer;
  throw Error(ErrorCode::kMismatch,
              fmt::format("ranks disagree: rank {} called {}; rank {} called {}", std::min(rank, peer),
                          first ? mine : theirs, std::max(rank, peer), first ? theirs : mine))
      .with_peer(peer);
}

void Collective::make_plan() {
  const std::size_t bytes = data_bytes(*operation_);
  plan_ = {.kind = operation_->kind,
           .path = Path::kStaged,
           .ranks = group_->size(),
           .root = operation_->root,
           .element_bytes = size_of(operation_->dtype),
           .bytes = bytes,
           .staging_bytes = group_->segments().staging_bytes(),
           .matrix = {}};
  if (operation_->kind == OperationKind::kAllToAllV) {
    read_matrix();
    plan_.matrix = matrix_;
  }
  if (goes_inline(operation_->kind, bytes)) {
    plan_.path = Path::kInline;
  } else if (buffers_are_symmetric()) {
    plan_.path = Path::kDirect;
  } else {
    own_.collect();
  }
  resolve_buffers();
}

// Whether every rank can reach the buffers that the direct path of this collective touches. All ranks read the
// same announcements, so all come to the same answer.
bool Collective::buffers_are_symmetric() const {
  const auto input = [&](int rank) { return announcement(rank).input.load(std::memory_order_relaxed); };
  const auto output = [&](int rank) { return announcement(rank).output.load(std::memory_order_relaxed); };
  const auto on_all = [&](auto holds) {
    for (int rank = 0; rank < group_->size(); ++rank) {
      if (!holds(rank)) {
        return false;
      }
    }
    return true;
  };
  const int root = operation_->root;
  switch (operation_->kind) {
    case OperationKind::kAllReduce:
      return on_all([&](int rank) { return input(rank) != 0 && output(rank) != 0; });
    case OperationKind::kReduce:
      return output(root) != 0 && on_all([&](int rank) { return input(rank) != 0; });
    case OperationKind::kReduceScatter:
      return on_all([&](int rank) { return input(rank) != 0; });
    case OperationKind::kAllGather:
      return on_all([&](int rank) { return output(rank) != 0; });
    case OperationKind::kAllToAll:
    case OperationKind::kAllToAllV:
      // In place, a part would be overwritten before its receiver has read it.
      return on_all([&](int rank) { return output(rank) != 0 && output(rank) != input(rank); });
    case OperationKind::kBroadcast:
    case OperationKind::kScatter:
      return input(root) != 0;
    case OperationKind::kGather:
      return output(root) != 0;
    case OperationKind::kBarrier:
    case OperationKind::kSend:
    case OperationKind::kRecv:
      return false;
  }
  return false;
}

// Puts together who sends how much to whom, and checks that both sides of every pair say the same.
void Collective::read_matrix() {
  const auto ranks = static_cast<std::size_t>(group_->size());
  const std::size_t element_bytes = size_of(operation_->dtype);
  matrix_.assign(ranks * ranks, 0);
  const auto read = [&](std::size_t rank, std::size_t index) {
    std::size_t count = 0;
    const auto& data = announcement(static_cast<int>(rank)).data;
    std::memcpy(&count, data.data() + index * sizeof count, sizeof count);
    return count;
  };
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::size_t sent = read(from, to);
      const std::size_t expected = read(to, ranks + from);
      if (sent != expected) {
        throw Error(
            ErrorCode::kMismatch,
            fmt::format("ranks disagree in {}: rank {} sends {} elements to rank {}, which expects {}",
                        operation_->describe(), from, sent, to, expected))
            .with_peer(static_cast<int>(static_cast<int>(from) == group_->rank() ? to : from));
      }
      matrix_[from * ranks + to] = sent * element_bytes;
    }
  }
}

void Collective::resolve_buffers() {
  const auto ranks = static_cast<std::size_t>(group_->size());
  inputs_.assign(ranks, nullptr);
  outputs_.assign(ranks, nullptr);
  if (plan_.path == Path::kDirect) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Announcement& theirs = announcement(static_cast<int>(rank));
      inputs_[rank] =
          group_->regions().address_of(theirs.input.load(std::memory_order_relaxed), static_cast<int>(rank));
      outputs_[rank] =
          group_->regions().address_of(theirs.output.load(std::memory_order_relaxed), static_cast<int>(rank));
    }
  }
  const auto own = static_cast<std::size_t>(group_->rank());
  inputs_[own] = const_cast<std::byte*>(in_.data());  // read only: no schedule writes to an input
  outputs_[own] = out_.data();
}

// One round, if all ranks are ready for it. An inline collective has all it needs in the announcements.
bool Collective::run_round() {
  if (round_ == plan_.rounds()) {
    state_ = plan_.closes_together() ? State::kClosing : State::kDone;
    return true;
  }
  const bool counts_rounds = plan_.path != Path::kInline;
  if (counts_rounds && !all_finished(first_round_ + round_)) {
    return false;
  }
  actions_.clear();
  append_actions(plan_, group_->rank(), round_, actions_);
  for (const auto& action : actions_) {
    run(action);
  }
  ++round_;
  if (counts_rounds) {
    group_->own().flags.rounds.store(first_round_ + round_,
                                     std::memory_order_seq_cst);  // pairs with all_finished()
    group_->ring_sleepers();
  }
  return true;
}

bool Collective::all_finished(std::uint64_t rounds) const {
  for (int peer = 0; peer < group_->size(); ++peer) {
    // Pairs with run_round(): what a rank wrote in its rounds is visible once its counter is.
    if (group_->control(peer).flags.rounds.load(std::memory_order_seq_cst) < rounds) {
      return false;
    }
  }
  return true;
}

void Collective::run(const Action& action) {
  if (action.kind == Action::Kind::kCopy) {
    const std::byte* from = address(action.from);
    std::byte* to = address(action.to);
    if (action.to.rank != group_->rank()) {
      stream_copy(to, from, action.bytes);
    } else if (from != to) {
      std::memcpy(to, from, action.bytes);
    }
    return;
  }
  for (std::size_t done = 0; done < action.bytes;) {
    done += combine(action, done);
  }
}

// From byte `first` of the action on, as far as this rank's own input goes without a break. Returns how far that was.
std::size_t Collective::combine(const Action& action, std::size_t first) {
  const auto place = [&](const Place& begin, int rank) {
    return address({begin.area, rank, begin.offset + first});
  };
  OwnInput::Run own = {place(action.from, group_->rank()), action.bytes - first};
  if (own_.in_pieces()) {
    own = own_.at(action.to.offset + first, own.bytes);
  }
  sources_.clear();
  destinations_.clear();
  for (int rank = 0; rank < group_->size(); ++rank) {
    sources_.push_back(rank == group_->rank() ? own.data : place(action.from, rank));
    if (action.target == Action::Target::kAll) {
      destinations_.push_back(place(action.to, rank));
    }
  }
  if (action.target == Action::Target::kOne) {
    destinations_.push_back(place(action.to, action.to.rank));
  }
  reduce_kernel(operation_->dtype,
                operation_->op)({.sources = sources_.data(),
                                 .source_count = static_cast<int>(sources_.size()),
                                 .destinations = destinations_.data(),
                                 .destination_count = static_cast<int>(destinations_.size()),
                                 .count = own.bytes / plan_.element_bytes});
  return own.bytes;
}

std::byte* Collective::address(const Place& place) const {
  const auto rank = static_cast<std::size_t>(place.rank);
  std::byte* base = nullptr;
  switch (place.area) {
    case Area::kInput:
      base = inputs_[rank];
      break;
    case Area::kOutput:
      base = outputs_[rank];
      break;
    case Area::kInline:
      base = announcement(place.rank).data.data();
      break;
    case Area::kStaging:
      base = group_->segments().staging(place.rank);
      break;
  }
  LOCKSTEP_CHECK(base != nullptr);
  return base + place.offset;
}

void Collective::list_awaited(std::vector<int>& ranks) const {
  for (int peer = 0; peer < group_->size(); ++peer) {
    const bool behind =
        state_ == State::kGathering
            ? announcement(peer).number.load(std::memory_order_acquire) != operation_->sequence + 1
            : group_->control(peer).flags.rounds.load(std::memory_order_acquire) < first_round_ + round_;
    if (behind && peer != group_->rank() && state_ != State::kDone) {
      ranks.push_back(peer);
    }
  }
}

}  // namespace lockstep
