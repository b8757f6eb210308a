#include "comm/shm/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration_text.h"
#include "comm/rank_list.h"
#include "comm/shm/backoff.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCheckEvery{2};     // how often a waiting rank looks for dead peers
constexpr milliseconds kLongestSleep{10};  // bounds how late a death is noticed
constexpr std::chrono::microseconds kShortSleep{
    200};  // when another group could need us without ringing here

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

  void wait() override {
    engine->wait_until(*this, [this] { return done(); });
  }

  void recycle() noexcept override { pool->give_back(*this); }

  bool done() const { return is_message(operation()) ? message.done() : collective.done(); }

  TaskPool<EngineTask>* pool = nullptr;
  Engine* engine = nullptr;
  Collective collective;
  Message message;
};

Engine::Engine(Group& group, std::shared_ptr<Engines> engines)
    : group_(group),
      engines_(std::move(engines)),
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
      wait_for_announcement_slot(task);
      task.collective.begin(group_, task, request);
      task.collective.announce();
      collectives_.push_back(&task);
    }
  } catch (...) {
    task.recycle();
    throw;
  }
  advance();
  return task;
}

// The announcement is written over one that is kAnnouncements calls old: everybody must be through with that.
void Engine::wait_for_announcement_slot(const Task& task) {
  const std::uint64_t sequence = task.operation().sequence;
  if (sequence < kAnnouncements) {
    return;
  }
  wait_until(task, [&] {
    for (int rank = 0; rank < group_.size(); ++rank) {
      // Pairs with advance(): a completed collective's announcement will not be read again.
      if (group_.control(rank).flags.completed.load(std::memory_order_seq_cst) <= sequence - kAnnouncements) {
        return false;
      }
    }
    return true;
  });
}

bool Engine::advance() noexcept {
  if (failure_) {
    return false;
  }
  bool moved = false;
  try {
    while (!collectives_.empty()) {
      EngineTask& task = *collectives_.front();
      moved |= task.collective.advance(next_round_);
      if (!task.collective.done()) {
        break;
      }
      group_.own().flags.completed.store(task.operation().sequence + 1, std::memory_order_seq_cst);
      collectives_.pop_front();
    }
    moved |= mailroom_.advance();
  } catch (const Error& error) {
    fail(error);
  } catch (const std::exception& error) {
    fail(Error(ErrorCode::kInternal, error.what()));
  }
  return moved;
}

template <class Done>
void Engine::wait_until(const Task& task, Done done) {
  Backoff backoff(group_.may_spin());
  while (!done()) {
    if (engines_->advance()) {
      backoff.reset();
      continue;
    }
    if (done()) {
      return;
    }
    check(task, /*deadline_too=*/true);
    if (backoff.pause()) {
      DoorbellSleep sleep(group_.own().doorbell);
      if (!engines_->advance() && !done() && !group_.failure()) {
        sleep.sleep(engines_->only(*this) ? std::chrono::nanoseconds(kLongestSleep) : kShortSleep);
      }
    }
  }
}

// Throws when this engine has failed or a rank it waits for is lost. Looks at most every kCheckEvery, but always
// at its own failure.
void Engine::check(const Task& task, bool deadline_too) {
  const Clock::Time now = Clock::real().now();
  if (!failure_ && now - last_check_ >= kCheckEvery) {
    last_check_ = now;
    group_.look_for_lost_peers([this] { return awaited_ranks(); });
    failure_ = group_.failure();
  }
  if (!failure_ && deadline_too && task.deadline().expired()) {
    fail(timeout_error(task));
  }
  if (failure_) {
    throw_failure(task);
  }
}

// The group's error may be another one that came first; that is then ours too.
void Engine::fail(const Error& error) noexcept {
  group_.fail(error);
  failure_ = group_.failure();
  if (!failure_) {
    failure_ = error;  // the first finder is still writing
  }
}

void Engine::throw_failure(const Task& task) const {
  const Operation& operation = task.operation();
  Error error = Error(*failure_)
                    .with_operation(std::string(to_string(operation.kind)))
                    .with_sequence(operation.sequence)
                    .with_label(std::string(operation.label))
                    .with_rank(group_.rank());
  throw std::move(error).with_elapsed(task.deadline().elapsed());
}

std::vector<int> Engine::awaited_ranks() const {
  std::vector<int> ranks;
  if (!collectives_.empty()) {
    collectives_.front()->collective.list_awaited(ranks);
  }
  mailroom_.list_awaited(ranks);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Error Engine::timeout_error(const Task& task) const {
  const std::vector<int> awaited = awaited_ranks();
  Error error(ErrorCode::kTimeout,
              fmt::format("rank {} waited {} for {} {}; at that time{}", group_.rank(),
                          duration_text(task.deadline().elapsed()), awaited.size() == 1 ? "rank" : "ranks",
                          rank_list(awaited), group_.describe_ranks()));
  return awaited.empty() ? error : std::move(error).with_peer(awaited.front());
}

}  // namespace lockstep
