#include "comm/mesh/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration_text.h"
#include "comm/rank_list.h"

namespace lockstep::mesh {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestSleep{50};  // everything that can happen wakes us; this is for the clock alone
constexpr milliseconds kLookForCulprit{1000};  // how long the news may lag behind the carrier

bool is_message(const Operation& operation) {
  return operation.kind == OperationKind::kSend || operation.kind == OperationKind::kRecv;
}

}  // namespace

bool Engines::advance() {
  bool moved = false;
  for (Engine* engine : all_) {
    moved |= engine->advance();
  }
  return moved;
}

void Engines::sleep(std::chrono::nanoseconds longest) {
  descriptors_.clear();
  for (const Engine* engine : all_) {
    engine->list_descriptors(descriptors_);
  }
  const auto timeout = std::min<std::chrono::nanoseconds>(longest, kLongestSleep);
  poll(descriptors_.data(), descriptors_.size(),
       static_cast<int>(std::chrono::ceil<milliseconds>(timeout).count()));
}

struct Engine::EngineTask final : Task {
  bool poll() override {
    if (!done()) {
      engine->engines_->advance();
    }
    if (!done()) {
      engine->check(*this, /*deadline_too=*/true);
    }
    return done();
  }

  void wait() override { engine->wait_for(*this); }
  void recycle() noexcept override { pool->give_back(*this); }

  bool done() const { return is_message(operation()) ? message.done() : collective.done(); }

  TaskPool<EngineTask>* pool = nullptr;
  Engine* engine = nullptr;
  Collective collective;
  Message message;
};

Engine::Engine(Group& group, Carrier& carrier, std::shared_ptr<Engines> engines)
    : group_(group),
      carrier_(carrier),
      engines_(std::move(engines)),
      equipment_{group_, carrier_, staging_},
      mailroom_(group),
      tasks_(std::make_unique<TaskPool<EngineTask>>()) {
  engines_->add(*this);
}

Engine::~Engine() {
  engines_->remove(*this);
}

Task& Engine::start(const Request& request) {
  EngineTask& task = tasks_->take();
  task.engine = this;
  task.adopt(request);
  try {
    check(task, /*deadline_too=*/false);
    if (is_message(request.operation)) {
      task.message.begin(task, request);
      mailroom_.enqueue(task.message);
    } else {
      task.collective.begin(equipment_, task, request);
      collectives_.push_back(&task);
    }
  } catch (...) {
    task.recycle();
    throw;
  }
  advance();
  return task;
}

bool Engine::advance() noexcept {
  if (stopped_) {
    return false;
  }
  bool moved = false;
  try {
    carrier_.clear_event();
    moved = group_.advance();
    // Also when the news tell of a failure: what a rank called before it failed is still good.
    moved |= advance_collectives();
    moved |= mailroom_.advance();
    look_for_lost_peers();
  } catch (const Error& error) {
    group_.fail(error);
  } catch (const std::exception& error) {
    group_.fail(Error(ErrorCode::kInternal, error.what()));
  }
  stop_if_failed();
  return moved;
}

bool Engine::advance_collectives() {
  bool moved = false;
  while (!collectives_.empty()) {
    Collective& collective = collectives_.front()->collective;
    moved |= collective.advance();
    if (!collective.done()) {
      break;
    }
    collectives_.pop_front();
  }
  return moved;
}

// A rank that leaves has done its part in what it called; one that dies may not have.
void Engine::look_for_lost_peers() noexcept {
  std::vector<int> missing;
  if (!collectives_.empty()) {
    collectives_.front()->collective.list_missing(missing);
  }
  for (const int peer : awaited()) {
    if (group_.has_died(peer)) {
      group_.fail_for_death_of(peer);
    }
  }
  for (const int peer : missing) {
    if (group_.has_left(peer)) {
      group_.fail_for_leaving_of(peer);
    }
  }
  if (const int peer = mailroom_.find_deserter(); peer >= 0) {
    group_.fail_for_leaving_of(peer);
  }
  if (!collectives_.empty() && collectives_.front()->collective.carrier_failure()) {
    look_for_culprit(*collectives_.front()->collective.carrier_failure());
  }
}

// The carrier gave up, without saying because of whom. Whoever it was, the news will tell.
void Engine::look_for_culprit(const std::string& carrier_failure) noexcept {
  const Clock::Time now = Clock::real().now();
  carrier_failed_at_ = carrier_failed_at_.value_or(now);
  for (int peer = 0; peer < group_.size(); ++peer) {
    if (group_.has_left(peer)) {
      group_.fail_for_leaving_of(peer);
    }
  }
  if (now - *carrier_failed_at_ > kLookForCulprit) {
    group_.fail(
        Error(ErrorCode::kPeerLost,
              fmt::format("a transfer failed, though no rank is known to have died: {}", carrier_failure)));
  }
}

void Engine::fail(const Error& error) noexcept {
  group_.fail(error);
  stop_if_failed();
}

// Takes the memory of everything in flight back from the carrier, before its owners learn that it is theirs.
void Engine::stop_if_failed() noexcept {
  if (group_.failure() && !stopped_) {
    stopped_ = true;
    carrier_.cancel();
  }
}

void Engine::wait_for(const EngineTask& task) {
  while (!task.done()) {
    if (engines_->advance() || task.done()) {
      continue;
    }
    check(task, /*deadline_too=*/true);
    engines_->sleep(task.deadline().remaining());
  }
}

void Engine::check(const Task& task, bool deadline_too) {
  if (!group_.failure() && deadline_too && task.deadline().expired()) {
    fail(timeout_error(task));
  }
  if (group_.failure()) {
    stop_if_failed();
    throw_failure(task);
  }
}

void Engine::throw_failure(const Task& task) const {
  const Operation& operation = task.operation();
  Error error = Error(*group_.failure())
                    .with_operation(std::string(to_string(operation.kind)))
                    .with_sequence(operation.sequence)
                    .with_label(std::string(operation.label))
                    .with_rank(group_.rank());
  throw std::move(error).with_elapsed(task.deadline().elapsed());
}

// The ranks that something here needs to go on: whoever has not called the collective, or all when the carrier
// moves data, and those that messages go to or come from.
std::vector<int> Engine::awaited() const {
  std::vector<int> ranks;
  mailroom_.list_awaited(ranks);
  if (!collectives_.empty()) {
    const Collective& collective = collectives_.front()->collective;
    collective.list_missing(ranks);
    for (int peer = 0; collective.in_flight() && peer < group_.size(); ++peer) {
      if (peer != group_.rank()) {
        ranks.push_back(peer);
      }
    }
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Error Engine::timeout_error(const Task& task) const {
  const std::vector<int> ranks = awaited();
  Error error(ErrorCode::kTimeout,
              fmt::format("rank {} waited {} for {} {}; at that time{}", group_.rank(),
                          duration_text(task.deadline().elapsed()), ranks.size() == 1 ? "rank" : "ranks",
                          rank_list(ranks), group_.describe_ranks()));
  return ranks.size() == 1 ? std::move(error).with_peer(ranks.front()) : error;
}

void Engine::list_descriptors(std::vector<pollfd>& descriptors) const {
  if (stopped_) {
    return;
  }
  group_.list_descriptors(descriptors);
  mailroom_.list_descriptors(descriptors);
  if (!collectives_.empty() && collectives_.front()->collective.in_flight()) {
    descriptors.push_back({.fd = carrier_.event_fd(), .events = POLLIN, .revents = 0});
  }
}

}  // namespace lockstep::mesh
