#include "comm/mesh/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "comm/kernels/reduce_kernel.h"
#include "comm/own_input.h"
#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

// The count of a barrier is something that ranks compare, not data.
std::size_t data_bytes(const Operation& operation) {
  return operation.kind == OperationKind::kBarrier ? 0 : operation.count * size_of(operation.dtype);
}

}  // namespace

void Collective::begin(const Equipment& equipment, const Task& task, const Request& request) {
  equipment_ = &equipment;
  task_ = &task;
  in_ = request.in;
  out_ = request.out;
  OwnInput(request).collect();  // a carrier takes whole blocks
  counts_.assign(request.in_counts.begin(), request.in_counts.end());
  counts_.insert(counts_.end(), request.out_counts.begin(), request.out_counts.end());
  state_ = State::kGathering;
  arrived_.assign(static_cast<std::size_t>(equipment.group.size()), false);
  arrived_[static_cast<std::size_t>(equipment.group.rank())] = true;
  step_ = 0;
  flights_.clear();
  landed_ = 0;
  carrier_failure_.reset();
  announce();
}

void Collective::announce() {
  std::span<const std::byte> payload;
  if (task_->operation().kind == OperationKind::kAllToAllV) {
    payload = std::as_bytes(std::span(counts_));
  } else if (is_small()) {
    payload = {in_.data(), std::min(data_bytes(task_->operation()), in_.bytes())};
  }
  equipment_->group.announce(CallHeader::of(*task_), payload);
}

bool Collective::is_small() const {
  const Operation& operation = task_->operation();
  return operation.kind != OperationKind::kAllToAllV &&
         data_bytes(operation) <= equipment_->group.inline_limit();
}

bool Collective::advance() {
  bool moved = false;
  if (state_ == State::kGathering && gather_announcements()) {
    moved = true;
    if (is_small()) {
      use_inline_data();
      state_ = State::kDone;
    } else {
      const Undertaking undertaking = make_undertaking();
      equipment_->staging.reserve(staging_bytes(undertaking));
      steps_ = steps_of(undertaking);
      state_ = State::kSteps;
    }
    drop_calls();
  }
  while (state_ == State::kSteps && run_step()) {
    moved = true;
  }
  return moved;
}

// Looks at every rank that has not been seen yet, so that a mismatch between two is found before the last comes.
bool Collective::gather_announcements() {
  for (int peer = 0; peer < equipment_->group.size(); ++peer) {
    auto&& arrived = arrived_[static_cast<std::size_t>(peer)];
    if (const Call* call = equipment_->group.next_call(peer); !arrived && call != nullptr) {
      compare_with(peer, *call);
      arrived = true;
    }
  }
  return std::find(arrived_.begin(), arrived_.end(), false) == arrived_.end();
}

// The lower rank comes first, so that all ranks that find this difference say the same.
void Collective::compare_with(int peer, const Call& call) const {
  const CallHeader mine = CallHeader::of(*task_);
  const CallHeader& theirs = call.header;
  const bool counts_differ =
      task_->operation().kind != OperationKind::kAllToAllV && theirs.count != mine.count;
  if (theirs.call == mine.call && theirs.sequence == mine.sequence && !counts_differ &&
      theirs.label.bytes() == mine.label.bytes()) {
    return;
  }
  const int rank = equipment_->group.rank();
  const bool first = rank < peer;
  throw Error(ErrorCode::kMismatch,
              fmt::format("ranks disagree: rank {} called {}; rank {} called {}", std::min(rank, peer),
                          (first ? mine : theirs).operation().describe(), std::max(rank, peer),
                          (first ? theirs : mine).operation().describe()))
      .with_peer(peer);
}

// The same schedule that shared memory uses when the data came along.
void Collective::use_inline_data() {
  const Operation& operation = task_->operation();
  const Plan plan{.kind = operation.kind,
                  .path = Path::kInline,
                  .ranks = equipment_->group.size(),
                  .root = operation.root,
                  .element_bytes = size_of(operation.dtype),
                  .bytes = data_bytes(operation)};
  actions_.clear();
  append_actions(plan, equipment_->group.rank(), 0, actions_);
  for (const auto& action : actions_) {
    run(action);
  }
}

void Collective::run(const Action& action) {
  LOCKSTEP_CHECK(action.from.area == lockstep::Area::kInline && action.to.area == lockstep::Area::kOutput);
  std::byte* to = out_.data() + action.to.offset;
  if (action.kind == Action::Kind::kCopy) {
    const std::byte* from = inline_data(action.from.rank) + action.from.offset;
    if (from != to) {
      std::memcpy(to, from, action.bytes);
    }
    return;
  }
  sources_.clear();
  for (int rank = 0; rank < equipment_->group.size(); ++rank) {
    sources_.push_back(inline_data(rank) + action.from.offset);
  }
  reduce(sources_.data(), to, action.bytes);
}

const std::byte* Collective::inline_data(int rank) const {
  return rank == equipment_->group.rank() ? in_.data() : equipment_->group.next_call(rank)->payload.data();
}

Undertaking Collective::make_undertaking() {
  const Operation& operation = task_->operation();
  const Group& group = equipment_->group;
  Undertaking undertaking{.kind = operation.kind,
                          .ranks = group.size(),
                          .rank = group.rank(),
                          .root = operation.root,
                          .bytes = data_bytes(operation)};
  if (operation.kind == OperationKind::kAllToAllV) {
    read_matrix();
    undertaking.matrix = matrix_;
  } else if (operation.kind == OperationKind::kAllGather) {
    undertaking.in_place = in_.data() == out_.data() + static_cast<std::size_t>(group.rank()) * in_.bytes();
  } else {
    undertaking.in_place = in_.data() == out_.data();
  }
  return undertaking;
}

// Puts together who sends how much to whom, and checks that both sides of every pair say the same.
void Collective::read_matrix() {
  const Operation& operation = task_->operation();
  const auto ranks = static_cast<std::size_t>(equipment_->group.size());
  matrix_.assign(ranks * ranks, 0);
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::size_t sent = announced_count(from, to);
      const std::size_t expected = announced_count(to, ranks + from);
      if (sent != expected) {
        throw Error(
            ErrorCode::kMismatch,
            fmt::format("ranks disagree in {}: rank {} sends {} elements to rank {}, which expects {}",
                        operation.describe(), from, sent, to, expected))
            .with_peer(static_cast<int>(static_cast<int>(from) == equipment_->group.rank() ? to : from));
      }
      matrix_[from * ranks + to] = sent * size_of(operation.dtype);
    }
  }
}

std::size_t Collective::announced_count(std::size_t rank, std::size_t index) const {
  if (static_cast<int>(rank) == equipment_->group.rank()) {
    return counts_[index];
  }
  const auto& payload = equipment_->group.next_call(static_cast<int>(rank))->payload;
  LOCKSTEP_CHECK(payload.size() == 2 * arrived_.size() * sizeof(std::size_t));
  std::size_t count = 0;
  std::memcpy(&count, payload.data() + index * sizeof count, sizeof count);
  return count;
}

void Collective::drop_calls() {
  for (int peer = 0; peer < equipment_->group.size(); ++peer) {
    if (peer != equipment_->group.rank()) {
      equipment_->group.drop_call(peer);
    }
  }
}

// True when it got somewhere.
bool Collective::run_step() {
  count_landed_flights();
  const bool last = step_ == steps_.size();
  if (landed_ < (last ? flights_.size() : steps_[step_].needs)) {
    return false;
  }
  if (last) {
    flights_.clear();
    landed_ = 0;
    equipment_->staging.trim();
    state_ = State::kDone;
    return true;
  }
  start(steps_[step_++]);
  return true;
}

void Collective::start(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kCopy:
      std::memcpy(address(step.to), address(step.from), step.bytes);
      break;
    case Step::Kind::kReduce:
      sources_.clear();
      for (std::size_t rank = 0; rank < arrived_.size(); ++rank) {
        const bool own = static_cast<int>(rank) == equipment_->group.rank();
        sources_.push_back(own ? address(step.own) : address(step.from) + rank * step.bytes);
      }
      reduce(sources_.data(), address(step.to), step.bytes);
      break;
    case Step::Kind::kExchange:
      flights_.push_back(equipment_->carrier.exchange({.from = address(step.from),
                                                       .sent = step.sent,
                                                       .to = address(step.to),
                                                       .received = step.received}));
      break;
    case Step::Kind::kSpread:
      flights_.push_back(equipment_->carrier.broadcast(
          address(step.root == equipment_->group.rank() ? step.from : step.to), step.bytes, step.root));
      break;
  }
}

// A flight that failed never lands.
void Collective::count_landed_flights() {
  while (landed_ < flights_.size() && !carrier_failure_ && flights_[landed_]->done()) {
    carrier_failure_ = flights_[landed_]->failure();
    if (!carrier_failure_) {
      ++landed_;
    }
  }
}

std::byte* Collective::address(const Spot& spot) const {
  switch (spot.area) {
    case Area::kInput:
      return const_cast<std::byte*>(in_.data()) + spot.offset;  // read only: no step writes to an input
    case Area::kOutput:
      return out_.data() + spot.offset;
    case Area::kStaging:
      return equipment_->staging.data() + spot.offset;
  }
  return nullptr;
}

void Collective::reduce(const std::byte* const* sources, std::byte* destination, std::size_t bytes) const {
  const Operation& operation = task_->operation();
  reduce_kernel(operation.dtype, operation.op)({.sources = sources,
                                                .source_count = static_cast<int>(arrived_.size()),
                                                .destinations = &destination,
                                                .destination_count = 1,
                                                .count = bytes / size_of(operation.dtype)});
}

void Collective::list_missing(std::vector<int>& ranks) const {
  for (std::size_t peer = 0; peer < arrived_.size(); ++peer) {
    if (state_ == State::kGathering && !arrived_[peer]) {
      ranks.push_back(static_cast<int>(peer));
    }
  }
}

}  // namespace lockstep::mesh
